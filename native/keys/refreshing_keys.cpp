#include "native/keys/refreshing_keys.hpp"

#include <algorithm>
#include <utility>

#include "core/json/writer.hpp"
#include "native/keys/key_log.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds fetch_wait_timeout{2};
// A failure that stays the same is said again after so long.
constexpr std::chrono::seconds silence{60};

}  // namespace

// A request that waits for the end of a refresh. In the list only while it is suspended.
class RefreshingKeys::Waiter {
 public:
  // `refreshes`: how many had ended when it came.
  Waiter(RefreshingKeys& keys, WaitingPlace& place, std::uint64_t refreshes, Time until)
      : keys_(keys), place_(place), refreshes_(refreshes), until_(until) {}
  ~Waiter() {
    const std::lock_guard lock(keys_.mutex_);
    keys_.waiting_.erase(&place_);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  bool await_ready() { return false; }
  // What is over is not waited for; else a refresh that ends from now on finds it in the list.
  bool await_suspend(std::coroutine_handle<> coroutine) {
    const std::lock_guard lock(keys_.mutex_);
    if (is_over()) return false;
    place_.suspend(coroutine, until_);
    keys_.waiting_.insert(&place_);
    return true;
  }
  // Whether there is nothing more to wait for.
  bool await_resume() {
    const std::lock_guard lock(keys_.mutex_);
    return is_over();
  }

 private:
  [[nodiscard]] bool is_over() const {
    return keys_.refreshes_ != refreshes_ || place_.is_given_up() || steady_clock::now() >= until_;
  }

  RefreshingKeys& keys_;
  WaitingPlace& place_;
  std::uint64_t refreshes_;
  Time until_;
};

RefreshingKeys::RefreshingKeys(std::unique_ptr<KeyDocument> document, RefreshTimes times, JsonLog& log)
    : document_(std::move(document)), log_(log), schedule_(times, steady_clock::now()) {}

RefreshingKeys::~RefreshingKeys() = default;

void RefreshingKeys::refresh() {
  std::unique_lock lock(mutex_);
  refresh(lock, {});
}

void RefreshingKeys::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void RefreshingKeys::refresh_soon() {
  const std::lock_guard lock(mutex_);
  schedule_.asked(steady_clock::now());
  changed_.notify_all();
}

SharedKeySet RefreshingKeys::current() {
  const std::lock_guard lock(mutex_);
  return keys_;
}

Task<SharedKeySet> RefreshingKeys::refreshed(Context& context, const SharedKeySet& seen) {
  const std::chrono::microseconds left(
      std::clamp<std::int64_t>(context.deadline.microseconds - context.clock.now().microseconds, 0, 60'000'000));
  const Time latest = steady_clock::now() + std::min<std::chrono::microseconds>(fetch_wait_timeout, left);
  std::optional<std::uint64_t> enough;  // refreshes: the last of them began after this came
  while (true) {
    std::optional<Waiter> waiter;
    {
      const std::lock_guard lock(mutex_);
      // What is being read may have been read before the key was published: then the refresh after it counts.
      if (!enough) enough = refreshes_ + (fetch_began_ ? 2 : 1);
      if (keys_ != seen || refreshes_ >= *enough) co_return keys_;
      const Time now = steady_clock::now();
      if (!fetch_began_) {
        schedule_.key_missed(now);
        changed_.notify_all();
      }
      const Time until = std::min(fetch_began_.value_or(schedule_.due()) + fetch_wait_timeout, latest);
      const bool in_vain = until <= (fetch_began_ ? now : std::max(now, schedule_.due()));
      if (in_vain || !context.waiting_place) co_return keys_;
      waiter.emplace(*this, *context.waiting_place, refreshes_, until);
    }
    while (!co_await *waiter) {
    }
    if (context.waiting_place->is_given_up()) co_await std::unexpected(Failure::cancelled);
  }
}

void RefreshingKeys::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto wake = [this] { return std::min(schedule_.due(), schedule_.keys_end()); };
    const Time planned = wake();
    changed_.wait_until(lock, stop, planned, [&] { return wake() < planned; });
    if (stop.stop_requested()) return;
    if (steady_clock::now() >= schedule_.keys_end()) forget_old_keys(lock);
    if (steady_clock::now() >= schedule_.due()) refresh(lock, stop);
  }
}

void RefreshingKeys::refresh(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  fetch_began_ = steady_clock::now();
  schedule_.began(*fetch_began_);
  const bool keys_held = keys_ != nullptr;
  lock.unlock();
  const Reading reading = read(stop, keys_held);
  SharedKeySet fresh = reading && *reading ? std::make_shared<const KeySet>((*reading)->keys) : nullptr;
  lock.lock();
  const Time now = steady_clock::now();
  fetch_began_.reset();
  ++refreshes_;
  if (fresh) keys_ = std::move(fresh);
  if (reading) {
    schedule_.succeeded(now);
  } else {
    ++failures_;
    last_failure_ = reading.error();
    schedule_.failed(now);
  }
  const KeyStatus status = status_now(now);
  for (WaitingPlace* place : std::exchange(waiting_, {})) place->wake();
  if (stop.stop_requested()) return;
  lock.unlock();
  log_reading(reading, status);
  lock.lock();
}

RefreshingKeys::Reading RefreshingKeys::read(const std::stop_token& stop, bool keys_held) {
  auto text = document_->read(stop);
  if (!text) return std::unexpected(std::move(text.error()));
  if (last_text_ != *text || (!keys_held && !last_fault_)) {
    last_text_ = std::move(*text);
    last_fault_.reset();
    auto loaded = load_key_set(*last_text_);
    if (loaded) return std::move(*loaded);
    last_fault_ = "the key set " + document_->name() + " cannot be used: " + loaded.error();
  }
  if (last_fault_) return std::unexpected(*last_fault_);
  return std::nullopt;
}

// Said once it is so: who reads of a key set in the log may count on it.
void RefreshingKeys::log_reading(const Reading& reading, const KeyStatus& status) {
  if (!reading) {
    log_failure(reading.error(), status);
    return;
  }
  if (*reading) log_key_set(log_, document_->name(), **reading);
  if (!logged_failure_.empty()) {
    log_.write(LogLevel::info, "key set refreshed again", {{.name = "source", .text = document_->name()}});
    logged_failure_.clear();
  }
}

void RefreshingKeys::forget_old_keys(std::unique_lock<std::mutex>& lock) {
  const KeyStatus status = status_now(steady_clock::now());
  keys_.reset();
  schedule_.keys_ended();
  lock.unlock();
  log_.warn("key set too old: no key is used until its source answers",
            "the last answer was " + std::to_string(status.age.value_or(std::chrono::seconds(0)).count()) + " s ago");
  lock.lock();
}

void RefreshingKeys::log_failure(const std::string& why, const KeyStatus& status) {
  const Time now = steady_clock::now();
  if (why == logged_failure_ && now < logged_failure_at_ + silence) return;
  logged_failure_ = why;
  logged_failure_at_ = now;
  std::string members = R"(,"event":"key set not refreshed","detail":)";
  append_log_string(members, why);
  members.append(",\"consecutiveFailures\":");
  append_json_integer(members, static_cast<std::int64_t>(status.failures_in_a_row));
  members.append(",\"keySetAgeSeconds\":");
  if (status.age) {
    append_json_integer(members, status.age->count());
  } else {
    members.append("null");
  }
  log_.write_raw(LogLevel::warning, members);
}

KeyStatus RefreshingKeys::status() {
  const std::lock_guard lock(mutex_);
  return status_now(steady_clock::now());
}

KeyStatus RefreshingKeys::status_now(Time now) const {
  KeyStatus status;
  status.keys = keys_ ? keys_->size() : 0;
  status.failures_in_a_row = schedule_.failures();
  if (status.failures_in_a_row > 0) status.last_failure = last_failure_;
  status.failures = failures_;
  status.refreshes = refreshes_;
  if (refreshes_ > failures_) {
    status.age = std::chrono::duration_cast<std::chrono::seconds>(now - schedule_.succeeded_at());
  }
  return status;
}

}  // namespace portail
