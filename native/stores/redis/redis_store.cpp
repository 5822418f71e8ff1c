#include "native/stores/redis/redis_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/limits.hpp"
#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/redis/redis_primary.hpp"

namespace portail {
namespace {

using Effect = RedisQuestion::Effect;

constexpr std::string_view read_failed = "store: a read failed";
constexpr std::string_view write_failed = "store: a write failed";
constexpr std::string_view answer_lost = "store: the answer to a write was lost";
constexpr std::string_view scan_failed = "store: a scan failed";
constexpr std::size_t values_of_a_scan_at_once = 128;  // of 256 KiB at most: 32 MiB
constexpr std::size_t max_values_at_once =
    std::size_t{256} * 1024 * 1024;  // bytes; a long list reads all its values at once
// SCAN is asked for 1000 keys; it may give some more.
constexpr RedisReplyLimit limit_of_a_scan{.max_bytes = std::size_t{16} * 1024 * 1024, .max_elements = 1 << 16};
constexpr std::size_t max_scan_replies = 1 << 20;                        // of 1000 keys
constexpr std::size_t max_scan_names = std::size_t{1024} * 1024 * 1024;  // bytes, of the keys' names

// 1 where the key had the expected value (ARGV[1] is "value", ARGV[2] the value) or none ("none"), and has the desired
// one now; else 0. A missing key is false in Lua, which no string equals.
constexpr std::string_view swap_script =
    "local expected = false "
    "if ARGV[1] == 'value' then expected = ARGV[2] end "
    "if redis.call('GET', KEYS[1]) ~= expected then return 0 end "
    "redis.call('SET', KEYS[1], ARGV[3]) "
    "return 1";

// Milliseconds: the server answers before the call's time is up, however many replicas have acknowledged by then.
std::int64_t patience_with_replicas(EngineDeadline deadline) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::duration_cast<milliseconds>(deadline.at - std::chrono::steady_clock::now());
  return std::clamp(left * 9 / 10, milliseconds(1), milliseconds(2000)).count();  // 0 would be for ever
}

bool can_be_stored(std::string_view key) { return within_limits({.key = key, .value = std::nullopt}); }

RedisRequest reading(std::span<const std::string_view> keys) {
  std::vector<std::string_view> command{"MGET"};
  command.insert(command.end(), keys.begin(), keys.end());
  const std::size_t bytes = std::min(keys.size() * (largest_value + 32), max_values_at_once);
  RedisRequest request;
  request.add(command, {.max_bytes = RedisReplyLimit().max_bytes + bytes, .max_elements = keys.size()});
  return request;
}

bool is_value(const redisReply* element) {
  return element->type == REDIS_REPLY_STRING || element->type == REDIS_REPLY_NIL;
}

bool is_cursor(std::string_view text) {
  return !text.empty() && text.size() <= 20 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The values of the keys, all of one state of the server: one reply, an array as long as `keys`, of strings and
// absences.
Task<RedisReply> get_many(Context& context, RedisStore& store, std::span<const std::string_view> keys,
                          std::string_view event) {
  RedisQuestion question{.request = reading(keys), .deadline = deadline_of(context), .keys = keys.size()};
  auto replies = co_await store.ask(context, std::move(question), event);
  const auto found = elements_of(*replies.front());
  if (found.size() != keys.size() || !std::ranges::all_of(found, is_value)) {
    co_return store.failed(context, event, unexpected_reply());
  }
  co_return std::move(replies.front());
}

class RedisSession final : public Session {
 public:
  explicit RedisSession(RedisStore& store) : store_(store) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    if (keys.empty()) co_return;
    replies_.push_back(co_await get_many(context, store_, keys, read_failed));
    const auto found = elements_of(*replies_.back());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      values[i] = can_be_stored(keys[i]) ? text_of(*found[i]) : std::nullopt;
      if (values[i]) copied_ += values[i]->size();
    }
  }
  [[nodiscard]] std::size_t copied() const override { return copied_; }

 private:
  RedisStore& store_;
  std::vector<RedisReply> replies_;  // with the values' bytes in them
  std::size_t copied_ = 0;
};

// What SCAN's MATCH takes for exactly this prefix and anything after it.
std::string pattern_of(std::string_view prefix) {
  std::string pattern;
  for (const char c : prefix) {
    if (std::string_view("*?[]^-\\").contains(c)) pattern += '\\';
    pattern += c;
  }
  return pattern + '*';
}

// In ascending order, each once: SCAN may name a key twice.
Task<std::vector<std::string>> keys_under(Context& context, RedisStore& store, std::string_view prefix) {
  const std::string pattern = pattern_of(prefix);
  std::vector<std::string> keys;
  std::size_t names = 0;  // bytes
  std::size_t replies_left = max_scan_replies;
  std::string cursor = "0";
  do {
    if (replies_left-- == 0 || names > max_scan_names) co_return store.failed(context, scan_failed, excessive_reply());
    RedisRequest request;
    request.add({"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"}, limit_of_a_scan);
    RedisQuestion question{.request = std::move(request), .deadline = deadline_of(context)};
    const auto replies = co_await store.ask(context, std::move(question), scan_failed);
    const auto parts = elements_of(*replies.front());
    const auto next = parts.size() == 2 ? text_of(*parts[0]) : std::nullopt;
    if (!next || !is_cursor(*next) || parts[1]->type != REDIS_REPLY_ARRAY) {
      co_return store.failed(context, scan_failed, unexpected_reply());
    }
    cursor = *next;
    for (const redisReply* element : elements_of(*parts[1])) {
      const auto key = text_of(*element);
      if (!key || !can_be_stored(*key)) continue;
      keys.emplace_back(*key);
      names += key->size();
    }
  } while (cursor != "0");
  std::ranges::sort(keys);
  const auto repeated = std::ranges::unique(keys);
  keys.erase(repeated.begin(), repeated.end());
  co_return keys;
}

}  // namespace

std::expected<std::unique_ptr<RedisStore>, std::string> RedisStore::open(const RedisUrl& url) {
  const auto unusable = [&url](const RedisFault& fault) {
    return std::unexpected(url.name() + " cannot be used: " + fault.text);
  };
  auto connection = connect_to_primary(url, usual_deadline());
  if (!connection) return unusable(connection.error());
  // A cluster refuses two keys that it keeps in different places, whatever it has.
  RedisRequest reading{"MGET", "format", "configuration"};
  // Among others what is no string reads as absent: a list under this key would pass for an empty store.
  reading.add({"GET", "format"});
  if (const auto read = connection->ask(reading, usual_deadline()); !read) return unusable(read.error());
  return std::unique_ptr<RedisStore>(new RedisStore(url, std::move(*connection)));
}

KeyValueStore::Traits RedisStore::traits() const {
  return {.snapshots = false, .compare_and_swap = true, .atomic_batches = true};
}

Task<std::vector<RedisReply>> RedisStore::ask(Context& context, RedisQuestion question, std::string_view event) {
  question.client = client_of(context);
  auto call = std::make_shared<RedisCall>(std::move(question));
  loop_.submit(call);
  auto replies = co_await RedisCall::outcome_of(context, std::move(call));
  if (!replies) co_return failed(context, event, replies.error());
  co_return std::move(*replies);
}

Task<std::vector<RedisReply>> RedisStore::ask_to_write(Context& context, RedisRequest request) {
  const EngineDeadline deadline = deadline_of(context);
  if (replicas_ > 0) request.add({"WAIT", std::to_string(replicas_), std::to_string(patience_with_replicas(deadline))});
  RedisQuestion question{.request = std::move(request),
                         .effect = Effect::write,
                         .waits = replicas_ > 0,
                         .deadline = deadline,
                         .client = client_of(context)};
  auto call = std::make_shared<RedisCall>(std::move(question));
  loop_.submit(call);
  auto replies = co_await RedisCall::outcome_of(context, std::move(call));
  if (!replies && !replies.error().lost) co_return failed(context, write_failed, replies.error());
  if (!replies) {
    tell(context, answer_lost, replies.error());
    co_return std::vector<RedisReply>();
  }
  if (replicas_ == 0) co_return std::move(*replies);
  const RedisReply waited = std::move(replies->back());
  replies->pop_back();
  if (waited->type != REDIS_REPLY_INTEGER) co_return failed(context, write_failed, unexpected_reply());
  if (waited->integer < replicas_) {
    const std::string few = std::to_string(waited->integer) + " of " + std::to_string(replicas_);
    co_return failed(context, write_failed, {.text = few + " replicas acknowledged it in time: it may be lost yet"});
  }
  co_return std::move(*replies);
}

std::unexpected<Failure> RedisStore::failed(Context& context, std::string_view event, const RedisFault& fault) {
  tell(context, event, fault);
  return std::unexpected(fault.failure);
}

void RedisStore::tell(Context& context, std::string_view event, const RedisFault& fault) {
  const std::lock_guard lock(logging_);
  if (fault_.is_due()) context.log.warn(event, name_ + ": " + fault.text);
}

Task<std::unique_ptr<Session>> RedisStore::open(Context&) { co_return std::make_unique<RedisSession>(*this); }

Task<EngineStore::Written> RedisStore::apply(Context& context, std::span<const Change> changes) {
  RedisRequest request{"MULTI"};
  for (const Change& change : changes) {
    if (change.value) {
      request.add({"SET", change.key, *change.value});
    } else {
      request.add({"DEL", change.key});
    }
  }
  const std::size_t count = changes.size();
  request.add({"EXEC"}, {.max_bytes = RedisReplyLimit().max_bytes + count * 128, .max_elements = count});
  const auto replies = co_await ask_to_write(context, std::move(request));
  if (replies.empty()) co_return Written::lost;
  if (elements_of(*replies.back()).size() != count) co_return failed(context, write_failed, unexpected_reply());
  co_return Written::yes;
}

Task<EngineStore::Written> RedisStore::swap(Context& context, std::string_view key, Value expected,
                                            std::string_view desired) {
  RedisRequest request{"EVAL", swap_script, "1", key, expected ? "value" : "none", expected.value_or(""), desired};
  const auto replies = co_await ask_to_write(context, std::move(request));
  if (replies.empty()) co_return Written::lost;
  const redisReply& answer = *replies.front();
  if (answer.type != REDIS_REPLY_INTEGER) co_return failed(context, write_failed, unexpected_reply());
  co_return answer.integer == 1 ? Written::yes : Written::no;
}

Task<void> RedisStore::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  const auto keys = co_await keys_under(context, *this, prefix);
  const std::vector<std::string_view> names(keys.begin(), keys.end());
  for (std::size_t begin = 0; begin < names.size(); begin += values_of_a_scan_at_once) {
    const std::size_t count = std::min(values_of_a_scan_at_once, names.size() - begin);
    const auto batch = std::span(names).subspan(begin, count);
    const auto reply = co_await get_many(context, *this, batch, scan_failed);
    const auto found = elements_of(*reply);
    for (std::size_t i = 0; i < count; ++i) {
      const auto text = text_of(*found[i]);
      if (!text) continue;  // removed meanwhile, or no string
      if (!visitor.visit(batch[i], *text)) co_return;
    }
  }
}

}  // namespace portail
