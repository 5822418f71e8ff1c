#include "native/stores/redis/redis_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/limits.hpp"

namespace portail {
namespace {

constexpr std::size_t values_of_a_scan_at_once = 128;  // of 256 KiB at most: 32 MiB

// 1 where the key had the expected value (ARGV[1] is "value", ARGV[2] the value) or none ("none"), and has the desired
// one now; else 0. A missing key is false in Lua, which no string equals.
constexpr std::string_view swap_script =
    "local expected = false "
    "if ARGV[1] == 'value' then expected = ARGV[2] end "
    "if redis.call('GET', KEYS[1]) ~= expected then return 0 end "
    "redis.call('SET', KEYS[1], ARGV[3]) "
    "return 1";

std::unexpected<Failure> failed(Context& context, std::string_view event, const RedisUrl& url,
                                const RedisFault& fault) {
  context.log.warn(event, url.name() + ": " + fault.text);
  return std::unexpected(fault.failure);
}

bool can_be_stored(std::string_view key) { return within_limits({.key = key, .value = std::nullopt}); }

// The values of the keys, all of one state of the server: one reply, an array as long as `keys`, of strings and
// absences.
std::expected<RedisReply, RedisFault> get_many(RedisClient& client, std::span<const std::string_view> keys,
                                               RedisDeadline deadline) {
  std::vector<std::string_view> command{"MGET"};
  command.insert(command.end(), keys.begin(), keys.end());
  RedisRequest request;
  request.add(command);
  auto replies = client.ask(request, RedisClient::Effect::read, deadline);
  if (!replies) return std::unexpected(replies.error());
  if (elements_of(*replies->front()).size() != keys.size()) return std::unexpected(unexpected_reply());
  return std::move(replies->front());
}

class RedisSession final : public Session {
 public:
  explicit RedisSession(RedisClient& client) : client_(client) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    if (keys.empty()) co_return;
    auto reply = get_many(client_, keys, redis_deadline(context));
    if (!reply) co_await failed(context, "store: a read failed", client_.url(), reply.error());
    const auto found = elements_of(*replies_.emplace_back(std::move(*reply)));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      values[i] = can_be_stored(keys[i]) ? text_of(*found[i]) : std::nullopt;
      if (values[i]) copied_ += values[i]->size();
    }
  }
  [[nodiscard]] std::size_t copied() const override { return copied_; }

 private:
  RedisClient& client_;
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
std::expected<std::vector<std::string>, RedisFault> keys_under(RedisClient& client, std::string_view prefix,
                                                               const Context& context) {
  const std::string pattern = pattern_of(prefix);
  std::vector<std::string> keys;
  std::string cursor = "0";
  do {
    const auto replies = client.ask({"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"}, RedisClient::Effect::read,
                                    redis_deadline(context));
    if (!replies) return std::unexpected(replies.error());
    const auto parts = elements_of(*replies->front());
    const auto next = parts.size() == 2 ? text_of(*parts[0]) : std::nullopt;
    if (!next) return std::unexpected(unexpected_reply());
    cursor = *next;
    for (const redisReply* element : elements_of(*parts[1])) {
      const auto key = text_of(*element);
      if (key && can_be_stored(*key)) keys.emplace_back(*key);
    }
  } while (cursor != "0");
  std::ranges::sort(keys);
  const auto repeated = std::ranges::unique(keys);
  keys.erase(repeated.begin(), repeated.end());
  return keys;
}

}  // namespace

std::expected<std::unique_ptr<RedisStore>, std::string> RedisStore::open(const RedisUrl& url) {
  std::unique_ptr<RedisStore> store(new RedisStore(url));
  const RedisDeadline deadline{.at = std::chrono::steady_clock::now() + RedisClient::longest_call};
  const auto answered = store->client_.ask({"PING"}, RedisClient::Effect::read, deadline);
  if (!answered) return std::unexpected(url.name() + " cannot be used: " + answered.error().text);
  return store;
}

KeyValueStore::Traits RedisStore::traits() const {
  return {.snapshots = false, .compare_and_swap = true, .atomic_batches = true};
}

Task<std::unique_ptr<Session>> RedisStore::open(Context&) { co_return std::make_unique<RedisSession>(client_); }

Task<void> RedisStore::write(Context& context, std::span<const Change> changes) {
  co_await check_limits(changes);
  if (changes.empty()) co_return;
  RedisRequest request{"MULTI"};
  for (const Change& change : changes) {
    if (change.value) {
      request.add({"SET", change.key, *change.value});
    } else {
      request.add({"DEL", change.key});
    }
  }
  request.add({"EXEC"});
  const auto replies = client_.ask(request, RedisClient::Effect::write, redis_deadline(context));
  if (!replies) co_await failed(context, "store: a write failed", client_.url(), replies.error());
  if (elements_of(*replies->back()).size() != changes.size()) {
    co_await failed(context, "store: a write failed", client_.url(), unexpected_reply());
  }
}

Task<bool> RedisStore::compare_and_swap(Context& context, std::string_view key, Value expected,
                                        std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  const auto replies =
      client_.ask({"EVAL", swap_script, "1", key, expected ? "value" : "none", expected.value_or(""), desired},
                  RedisClient::Effect::write, redis_deadline(context));
  if (!replies) co_return failed(context, "store: a write failed", client_.url(), replies.error());
  const redisReply& answer = *replies->front();
  if (answer.type != REDIS_REPLY_INTEGER) {
    co_return failed(context, "store: a write failed", client_.url(), unexpected_reply());
  }
  co_return answer.integer == 1;
}

Task<void> RedisStore::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  const auto keys = keys_under(client_, prefix, context);
  if (!keys) co_return co_await failed(context, "store: a scan failed", client_.url(), keys.error());
  const std::vector<std::string_view> names(keys->begin(), keys->end());
  for (std::size_t begin = 0; begin < names.size(); begin += values_of_a_scan_at_once) {
    const std::size_t count = std::min(values_of_a_scan_at_once, names.size() - begin);
    const auto batch = std::span(names).subspan(begin, count);
    const auto reply = get_many(client_, batch, redis_deadline(context));
    if (!reply) co_return co_await failed(context, "store: a scan failed", client_.url(), reply.error());
    const auto found = elements_of(**reply);
    for (std::size_t i = 0; i < count; ++i) {
      const auto text = text_of(*found[i]);
      if (!text) continue;  // removed meanwhile, or no string
      if (!visitor.visit(batch[i], *text)) co_return;
    }
  }
}

}  // namespace portail
