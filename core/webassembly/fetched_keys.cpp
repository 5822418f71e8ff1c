#include "core/webassembly/fetched_keys.hpp"

#include <algorithm>
#include <utility>

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

using std::chrono::seconds;

constexpr std::int64_t pause_microseconds = 20'000;  // between two looks at a fetch
constexpr seconds store_timeout{10};                 // for the record, before and after a fetch
constexpr seconds clock_difference{60};              // that the clocks of instances may have
// After the timeout of a fetch, when another instance may assume that the one that fetched has ended.
constexpr seconds grace_period{2};

// A name of the location, by which a record of another one is recognised. The query may be a secret.
std::string source_of(const FetchPlan& plan) {
  const std::string& url = plan.location.url;
  std::string source(without_query(url));
  if (source.size() < url.size()) source.append("?").append(lower_hex(blake2b(url)));
  if (plan.location.is_discovery) source.append(" ").append(plan.issuer);
  std::erase(source, '\n');
  return source;
}

}  // namespace

FetchedKeys::FetchedKeys(FetchPlan plan, KeyValueStore& store, HttpClient& client)
    : plan_(std::move(plan)),
      source_(source_of(plan_)),
      key_(std::string(fetched_key_set_prefix).append(lower_hex(blake2b(source_)))),
      store_(store),
      client_(client) {}

Task<void> FetchedKeys::prepare(Context& context, bool has_token) {
  keys_.count_request();
  const Instant now = context.clock.now();
  const auto interval = keys_.current() ? std::min(max_read_interval, plan_.times.interval) : min_read_interval;
  if (!was_read_within(read_at_, interval, now)) {
    co_await read(context);
  } else if (keys_.has_unlogged_diagnostics()) {
    load(context);
  }
  const KeyRecord last = record();
  expire_keys(context, last, now);
  is_due_ = read_at_ && is_due(last, Reason::schedule, now);
  // A request that is cancelled while it waits fails at its own first operation. If the last attempt never ended, the
  // host may end instances with their answers.
  if (has_token && !keys_.current()) {
    co_await outcome(refreshed(context, nullptr));
  } else if (is_due_ && (plan_.precedes_answer || last.is_fetching)) {
    is_due_ = false;
    start_refresh(context, Reason::schedule);
    co_await outcome(wait_for_refresh(context));
  } else if (is_due_ && !keys_.current() && last.attempted_at == Instant{}) {
    context.log.warn("key set", "not fetched yet: the first fetch follows this answer");
  }
}

void FetchedKeys::after_answer(Context& context) {
  if (std::exchange(is_due_, false) && !is_refreshing()) start_refresh(context, Reason::schedule);
}

Task<SharedKeySet> FetchedKeys::refreshed(Context& context, const SharedKeySet& previous) {
  const Instant began = context.clock.now();
  const Instant until = std::min(after(began, plan_.times.max_wait), context.deadline);
  bool has_started = false;
  while (true) {
    const Instant now = context.clock.now();
    if (!is_refreshing() && (record().is_fetching || !was_read_within(read_at_, min_read_interval, now))) {
      co_await read(context);
    }
    const KeyRecord last = record();
    // An attempt that began before the request may have read an older set.
    const bool has_answer = !is_refreshing() && !last.is_fetching && (has_started || last.attempted_at >= began);
    if (keys_.current() != previous || has_answer || now >= until) co_return keys_.current();
    if (!is_refreshing()) {
      if (is_due(last, Reason::unknown_key, now)) {
        start_refresh(context, Reason::unknown_key);
        has_started = true;
        continue;
      }
      if (!last.is_fetching && !is_due(last, Reason::unknown_key, until)) co_return keys_.current();
    }
    co_await client_.pause(context, std::min(pause_microseconds, until.microseconds - now.microseconds));
  }
}

Task<void> FetchedKeys::wait_for_refresh(Context& context) {
  const Instant until = after(context.clock.now(), plan_.times.max_wait);
  while (is_refreshing() && context.clock.now() < until) co_await client_.pause(context, pause_microseconds);
}

// If the clock was set back, the last attempt does not count.
bool FetchedKeys::is_due(const KeyRecord& record, Reason reason, Instant at) const {
  if (record.attempted_at > after(at, clock_difference)) return true;
  if (record.is_fetching) return at >= after(record.attempted_at, plan_.timeout + grace_period);
  const Instant due = due_at(record, plan_.times, record.attempted_at);
  return at >= (reason == Reason::unknown_key ? due_for_unknown_key(record, plan_.times, due) : due);
}

// A record of another source counts as absent.
KeyRecord FetchedKeys::record() const {
  const auto parsed = value_ ? parse_key_record(*value_) : std::nullopt;
  return parsed && parsed->source == source_ ? *parsed : KeyRecord{{}, source_};
}

Task<bool> FetchedKeys::read(Context& context) {
  if (read_at_) read_at_ = context.clock.now();
  auto value = co_await outcome(read_value(context, store_, key_));
  if (!value) {
    if (!std::exchange(is_unreadable_, true)) {
      context.log.warn("key set not refreshed", "the stored set could not be read");
    }
    co_return false;
  }
  is_unreadable_ = false;
  if (!read_at_) read_at_ = context.clock.now();
  const auto stored = *value ? parse_key_record(**value) : std::nullopt;
  const bool is_newer = stored && stored->attempted_at > record().attempted_at;
  if (!is_unstored_ || is_newer) {
    is_unstored_ = false;
    value_ = std::move(*value);
    load(context);
  }
  co_return true;
}

void FetchedKeys::load(Context& context) {
  const KeyRecord last = record();
  if (context.clock.now() >= expires_at(last, plan_.times)) return keys_.reset();
  const bool is_loaded = keys_.current() && last.key_set == loaded_set_;
  if (is_loaded && !keys_.has_unlogged_diagnostics()) return;
  loaded_set_ = last.key_set;
  const auto loaded = load_key_set(last.key_set);
  if (loaded && is_loaded) return keys_.log_diagnostics(context, *loaded);
  if (!loaded) {
    context.log.warn("key set not refreshed", "the stored set: " + loaded.error());
    return keys_.reset();
  }
  keys_.install(context, *loaded);
}

void FetchedKeys::expire_keys(Context& context, const KeyRecord& last, Instant now) {
  if (!keys_.current() || now < expires_at(last, plan_.times)) return;
  const std::int64_t age = now.microseconds - last.fetched_at.value_or(now).microseconds;
  context.log.warn("key set too old: no key is used until its source answers",
                   "the last answer was " + std::to_string(age / 1'000'000) + " s ago");
  keys_.reset();
}

void FetchedKeys::start_refresh(Context& context, Reason reason) {
  refresh_.reset();
  context_.emplace(Context{.clock = context.clock, .random = context.random, .log = context.log, .frames = frames_});
  refresh_.emplace(refresh(*context_, reason));
  client_.start(*refresh_);
}

Task<void> FetchedKeys::refresh(Context& context, Reason reason) {
  const bool is_waited_for = reason == Reason::unknown_key && !client_.is_concurrent();
  const auto timeout = is_waited_for ? std::min(plan_.times.max_wait, plan_.timeout) : plan_.timeout;
  context.deadline = after(context.clock.now(), timeout + store_timeout);
  if (!co_await read(context)) co_return;
  KeyRecord attempt = record();
  const Instant now = context.clock.now();
  if (!is_due(attempt, reason, now)) co_return;
  attempt.attempted_at = now;
  attempt.is_fetching = true;
  if (!co_await replace(context, attempt)) co_return;

  const Fetched fetched = co_await fetch(context, after(now, timeout));
  attempt = record();
  attempt.is_fetching = false;
  if (fetched) {
    attempt.fetched_at = context.clock.now();
    attempt.failures = 0;
    attempt.key_set = *fetched;
  } else {
    ++attempt.failures;
    context.log.warn("key set not refreshed", fetched.error());
  }
  co_await replace(context, attempt);
}

Task<bool> FetchedKeys::replace(Context& context, const KeyRecord& record) {
  std::string value = encode(record);
  if (!is_unstored_) {
    const Value expected = value_ ? Value(*value_) : std::nullopt;
    const auto swapped = co_await outcome(store_.compare_and_swap(context, key_, expected, value));
    if (swapped && !*swapped) {
      co_await read(context);
      co_return false;
    }
    if (!swapped) {
      context.log.warn("key set not refreshed", "the set could not be stored: each instance fetches its own");
      is_unstored_ = true;
    }
  }
  value_ = std::move(value);
  load(context);
  co_return true;
}

Task<FetchedKeys::Fetched> FetchedKeys::fetch(Context& context, Instant deadline) {
  const KeyLocation& location = plan_.location;
  Fetched document = co_await get(context, location.url, deadline);
  if (document && location.is_discovery) {
    const auto keys = jwks_uri_of(*document, plan_.issuer, location.transport);
    if (!keys) co_return Fetched(std::unexpected(location.url + " cannot be used: " + keys.error()));
    document = co_await get(context, *keys, deadline);
  }
  if (!document) co_return document;
  const std::string name(without_query(location.url));
  if (const auto loaded = load_key_set(*document); !loaded) {
    co_return Fetched(std::unexpected("the key set " + name + " cannot be used: " + loaded.error()));
  }
  if (document->size() + source_.size() > max_value_size - 100) {
    co_return Fetched(std::unexpected("the key set " + name + " is too large to be stored"));
  }
  co_return document;
}

Task<FetchedKeys::Fetched> FetchedKeys::get(Context& context, std::string_view url, Instant deadline) {
  const auto fail = [url](std::string_view reason) {
    return Fetched(std::unexpected("cannot fetch " + std::string(without_query(url)) + ": " + std::string(reason)));
  };
  const auto parsed = parse_key_url(url, plan_.location.transport);
  const std::int64_t remaining = deadline.microseconds - context.clock.now().microseconds;
  if (!parsed) co_return fail("it is not an https URL");
  if (remaining <= 0) co_return fail("timed out");
  HttpResult result = co_await client_.get(context, *parsed, max_fetched_size, remaining);
  if (!result) co_return fail(result.error());
  if (result->status != 200) co_return fail(describe_status(result->status));
  if (result->body.size() > max_fetched_size) co_return fail("it is larger than 256 KiB");
  co_return Fetched(std::move(result->body));
}

}  // namespace portail
