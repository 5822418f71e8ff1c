#include "native/keys/refreshing_keys.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/json/writer.hpp"

namespace portail::keys {
namespace {

using std::chrono::steady_clock, std::chrono::microseconds;

constexpr Instant never{std::numeric_limits<std::int64_t>::max()};

// Instants of the steady clock.
Instant steady_now() {
  return {std::chrono::duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count()};
}
steady_clock::time_point steady_time(Instant at) { return steady_clock::time_point(microseconds(at.microseconds)); }

}  // namespace

// Awaits the end of a refresh. In `waiters_` only while it is suspended.
class RefreshingKeys::Waiter {
 public:
  // `refreshes`: number of refreshes that had ended when the request came.
  Waiter(RefreshingKeys& keys, RequestSuspension& suspension, std::uint64_t refreshes, Instant until)
      : keys_(keys), suspension_(suspension), refreshes_(refreshes), until_(until) {}
  ~Waiter() {
    const std::lock_guard lock(keys_.mutex_);
    keys_.waiters_.erase(&suspension_);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  bool await_ready() { return false; }
  // Does not suspend if the wait is over. Otherwise a refresh that ends from now on finds the waiter in the list.
  bool await_suspend(std::coroutine_handle<> coroutine) {
    const std::lock_guard lock(keys_.mutex_);
    if (is_done()) return false;
    suspension_.suspend(coroutine, steady_time(until_));
    keys_.waiters_.insert(&suspension_);
    return true;
  }
  // Returns whether the wait is over.
  bool await_resume() {
    const std::lock_guard lock(keys_.mutex_);
    return is_done();
  }

 private:
  [[nodiscard]] bool is_done() const {
    return keys_.refreshes_ != refreshes_ || suspension_.is_cancelled() || steady_now() >= until_;
  }

  RefreshingKeys& keys_;
  RequestSuspension& suspension_;
  std::uint64_t refreshes_;
  Instant until_;
};

RefreshingKeys::RefreshingKeys(std::unique_ptr<Document> document, RefreshIntervals times, JsonLog& log)
    : document_(std::move(document)), log_(log), times_(times), due_(steady_now()) {}

RefreshingKeys::~RefreshingKeys() = default;

void RefreshingKeys::refresh() {
  std::unique_lock lock(mutex_);
  refresh(lock, {});
}

void RefreshingKeys::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void RefreshingKeys::request_refresh() {
  const std::lock_guard lock(mutex_);
  due_ = std::min(due_, steady_now());
  changed_.notify_all();
}

SharedKeySet RefreshingKeys::current() {
  const std::lock_guard lock(mutex_);
  return keys_;
}

Task<SharedKeySet> RefreshingKeys::refreshed(Context& context, const SharedKeySet& previous) {
  const microseconds remaining(
      std::clamp<std::int64_t>(context.deadline.microseconds - context.clock.now().microseconds, 0, 60'000'000));
  const Instant deadline = after(steady_now(), std::min<microseconds>(times_.max_wait, remaining));
  std::optional<std::uint64_t> target_refreshes;  // value of refreshes_ after a refresh that began after this call
  while (true) {
    std::optional<Waiter> waiter;
    {
      const std::lock_guard lock(mutex_);
      // A running refresh may have read the document before the key was published; then the next one counts.
      if (!target_refreshes) target_refreshes = refreshes_ + (fetches_.is_fetching ? 2 : 1);
      if (keys_ != previous || refreshes_ >= *target_refreshes) co_return keys_;
      const Instant now = steady_now();
      if (!fetches_.is_fetching) {
        due_ = std::min(due_, std::max(now, due_for_unknown_key(fetches_, times_, due_)));
        changed_.notify_all();
      }
      const Instant begin = fetches_.is_fetching ? fetches_.attempted_at : due_;
      const Instant until = std::min(after(begin, times_.max_wait), deadline);
      const bool would_time_out = until <= std::max(now, begin);
      if (would_time_out || !context.suspension) co_return keys_;
      waiter.emplace(*this, *context.suspension, refreshes_, until);
    }
    while (!co_await *waiter) {
    }
    if (context.suspension->is_cancelled()) co_await std::unexpected(Failure::cancelled);
  }
}

void RefreshingKeys::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto next_wakeup = [this] { return std::min(due_, expiry()); };
    const Instant wakeup = next_wakeup();
    changed_.wait_until(lock, stop, steady_time(wakeup), [&] { return next_wakeup() < wakeup; });
    if (stop.stop_requested()) return;
    if (steady_now() >= expiry()) expire_keys(lock);
    if (steady_now() >= due_) refresh(lock, stop);
  }
}

void RefreshingKeys::refresh(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  fetches_.attempted_at = steady_now();
  fetches_.is_fetching = true;
  due_ = never;
  const bool has_keys = keys_ != nullptr;
  lock.unlock();
  const ReadResult result = read(stop, has_keys);
  SharedKeySet new_keys = result && *result ? std::make_shared<const KeySet>((*result)->keys) : nullptr;
  lock.lock();
  const Instant now = steady_now();
  fetches_.is_fetching = false;
  ++refreshes_;
  if (new_keys) keys_ = std::move(new_keys);
  if (result) {
    fetches_.fetched_at = answered_at_ = now;
    fetches_.failures = 0;
  } else {
    ++failures_;
    ++fetches_.failures;
    last_failure_ = result.error();
  }
  due_ = due_ == never ? due_at(fetches_, times_, now) : now;
  const Status status = status_at(now);
  for (RequestSuspension* suspension : std::exchange(waiters_, {})) suspension->wake();
  if (stop.stop_requested()) return;
  lock.unlock();
  log_result(result, status);
  lock.lock();
}

RefreshingKeys::ReadResult RefreshingKeys::read(const std::stop_token& stop, bool has_keys) {
  auto text = document_->read(stop);
  if (!text) return std::unexpected(std::move(text.error()));
  if (last_text_ != *text || (!has_keys && !last_text_error_)) {
    last_text_ = std::move(*text);
    last_text_error_.reset();
    auto loaded = load_key_set(*last_text_);
    if (loaded) return std::move(*loaded);
    last_text_error_ = "the key set " + document_->name() + " cannot be used: " + loaded.error();
  }
  if (last_text_error_) return std::unexpected(*last_text_error_);
  return std::nullopt;
}

// Called when the keys are in effect, so that readers of the log can rely on it.
void RefreshingKeys::log_result(const ReadResult& result, const Status& status) {
  if (!result) {
    log_failure(result.error(), status);
    return;
  }
  if (*result) log_key_set(log_, document_->name(), **result);
  if (!logged_failure_.empty()) {
    log_.write(LogLevel::info, "key set refreshed again", {{.name = "source", .text = document_->name()}});
    logged_failure_.clear();
  }
}

void RefreshingKeys::expire_keys(std::unique_lock<std::mutex>& lock) {
  const Status status = status_at(steady_now());
  keys_.reset();
  fetches_.fetched_at.reset();
  lock.unlock();
  log_.warn("key set too old: no key is used until its source answers",
            "the last answer was " + std::to_string(status.age.value_or(std::chrono::seconds(0)).count()) + " s ago");
  lock.lock();
}

void RefreshingKeys::log_failure(const std::string& reason, const Status& status) {
  if (reason != logged_failure_) failure_throttle_ = {};
  logged_failure_ = reason;
  if (!failure_throttle_.is_due()) return;
  std::string members = R"(,"event":"key set not refreshed","detail":)";
  append_log_string(members, reason);
  members.append(",\"consecutiveFailures\":");
  append_json_integer(members, static_cast<std::int64_t>(status.consecutive_failures));
  members.append(",\"keySetAgeSeconds\":");
  if (status.age) {
    append_json_integer(members, status.age->count());
  } else {
    members.append("null");
  }
  log_.write_raw(LogLevel::warning, members);
}

Status RefreshingKeys::status() {
  const std::lock_guard lock(mutex_);
  return status_at(steady_now());
}

Instant RefreshingKeys::expiry() const { return keys_ ? expires_at(fetches_, times_) : never; }

Status RefreshingKeys::status_at(Instant now) const {
  Status status;
  status.keys = keys_ ? keys_->size() : 0;
  status.consecutive_failures = fetches_.failures;
  if (status.consecutive_failures > 0) status.last_failure = last_failure_;
  status.failures = failures_;
  status.refreshes = refreshes_;
  if (answered_at_) status.age = std::chrono::seconds((now.microseconds - answered_at_->microseconds) / 1'000'000);
  return status;
}

void log_key_set(JsonLog& log, const std::string& source, const LoadedKeySet& loaded) {
  log.write(LogLevel::info, "key set loaded",
            {{.name = "source", .text = source},
             {.name = "usable", .text = std::to_string(loaded.keys.size())},
             {.name = "refused", .text = std::to_string(loaded.refusals.size())}});
  for (const KeyDiagnostic& diagnostic : loaded.refusals) log.warn("key refused", describe(diagnostic));
  for (const KeyDiagnostic& diagnostic : loaded.notices) {
    if (is_refused(loaded, diagnostic.index)) continue;  // one line for each key
    log.warn("key set has private members", describe(diagnostic));
  }
  if (loaded.keys.empty()) log.warn("no usable key: the service is not ready", source);
}

}  // namespace portail::keys
