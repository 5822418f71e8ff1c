#include "native/stores/redis/redis_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/key_value_store.hpp"
#include "native/stores/engine/engine_call.hpp"
#include "native/stores/redis/redis_primary.hpp"
#include "native/stores/redis/redis_trial.hpp"

namespace portail::redis {
namespace {

using Effect = Query::Effect;

using engine::read_failed, engine::response_lost, engine::scan_failed, engine::write_failed;

constexpr std::size_t scan_batch_size = 128;  // values of 256 KiB at most: 32 MiB
// COUNT of SCAN is 1000; a reply may have some more keys.
constexpr ReplyLimit scan_reply_limit{.max_bytes = std::size_t{16} * 1024 * 1024, .max_elements = 1 << 16};
constexpr std::size_t max_scan_replies = 1 << 20;                        // of 1000 keys
constexpr std::size_t max_scan_names = std::size_t{1024} * 1024 * 1024;  // bytes, of the keys' names

// Returns 1 if the key had the expected value (ARGV[1] is "value", ARGV[2] the value) or was absent ("none"), and sets
// the desired value; otherwise 0. A missing key is false in Lua, which no string equals.
constexpr std::string_view swap_script =
    "local expected = false "
    "if ARGV[1] == 'value' then expected = ARGV[2] end "
    "if redis.call('GET', KEYS[1]) ~= expected then return 0 end "
    "redis.call('SET', KEYS[1], ARGV[3]) "
    "return 1";

// Returns the timeout of WAIT, in milliseconds: the server replies before the call's deadline, with the replicas that
// have acknowledged by then.
std::int64_t replica_timeout(engine::Deadline deadline) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::duration_cast<milliseconds>(deadline.at - std::chrono::steady_clock::now());
  return std::clamp(left * 9 / 10, milliseconds(1), milliseconds(2000)).count();  // 0 would wait without limit
}

Request mget_request(std::span<const std::string_view> keys) {
  std::vector<std::string_view> command{"MGET"};
  command.insert(command.end(), keys.begin(), keys.end());
  const std::size_t bytes = std::min(keys.size() * (max_value_size + 32), engine::max_batch_bytes);
  Request request;
  request.add(command, {.max_bytes = ReplyLimit().max_bytes + bytes, .max_elements = keys.size()});
  return request;
}

bool is_value(const redisReply* element) {
  return element->type == REDIS_REPLY_STRING || element->type == REDIS_REPLY_NIL;
}

bool is_cursor(std::string_view text) {
  return !text.empty() && text.size() <= 20 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Reads the values of the keys, all of one state of the server. Returns one reply: an array as long as `keys`, of
// strings and nils.
Task<Reply> read_values(Context& context, Store& store, std::span<const std::string_view> keys,
                        std::string_view event) {
  Query query{.request = mget_request(keys), .deadline = engine::call_deadline(context), .keys = keys.size()};
  auto replies = co_await store.execute(context, std::move(query), event);
  const auto found = elements_of(*replies.front());
  if (found.size() != keys.size() || !std::ranges::all_of(found, is_value)) {
    co_return store.log_failure(context, event, unexpected_reply());
  }
  co_return std::move(replies.front());
}

class Session final : public portail::Session {
 public:
  explicit Session(Store& store) : store_(store) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    if (keys.empty()) co_return;
    replies_.push_back(co_await read_values(context, store_, keys, read_failed));
    const auto found = elements_of(*replies_.back());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      values[i] = key_within_limits(keys[i]) ? text_of(*found[i]) : std::nullopt;
      if (values[i]) copied_ += values[i]->size();
    }
  }
  [[nodiscard]] std::size_t copied_bytes() const override { return copied_; }

 private:
  Store& store_;
  std::vector<Reply> replies_;  // own the values' bytes
  std::size_t copied_ = 0;
};

// Returns the pattern of SCAN's MATCH for all keys with this prefix.
std::string match_pattern(std::string_view prefix) {
  std::string pattern;
  for (const char c : prefix) {
    if (std::string_view("*?[]^-\\").contains(c)) pattern += '\\';
    pattern += c;
  }
  return pattern + '*';
}

// Returns the keys with the prefix, in ascending order. SCAN may return a key twice; duplicates are removed.
Task<std::vector<std::string>> scan_keys(Context& context, Store& store, std::string_view prefix) {
  const std::string pattern = match_pattern(prefix);
  std::vector<std::string> keys;
  std::size_t names = 0;  // bytes
  std::size_t replies_left = max_scan_replies;
  std::string cursor = "0";
  do {
    if (replies_left-- == 0 || names > max_scan_names)
      co_return store.log_failure(context, scan_failed, excessive_reply());
    Request request;
    request.add({"SCAN", cursor, "MATCH", pattern, "COUNT", "1000"}, scan_reply_limit);
    Query query{.request = std::move(request), .deadline = engine::call_deadline(context)};
    const auto replies = co_await store.execute(context, std::move(query), scan_failed);
    const auto parts = elements_of(*replies.front());
    const auto next = parts.size() == 2 ? text_of(*parts[0]) : std::nullopt;
    if (!next || !is_cursor(*next) || parts[1]->type != REDIS_REPLY_ARRAY) {
      co_return store.log_failure(context, scan_failed, unexpected_reply());
    }
    cursor = *next;
    for (const redisReply* element : elements_of(*parts[1])) {
      const auto key = text_of(*element);
      if (!key || !key_within_limits(*key)) continue;
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

std::expected<std::unique_ptr<Store>, std::string> Store::open(const Url& url) {
  auto connection = connect_to_primary(url, engine::default_deadline());
  if (!connection) return std::unexpected(unusable(url, connection.error()));
  // A cluster rejects a command with keys of different slots, even if they do not exist.
  Request probe{"MGET", "format", "configuration"};
  // MGET returns nil for a key that is not a string: without GET, a list under this key would look like an empty store.
  probe.add({"GET", "format"});
  const auto read = connection->execute(probe, engine::default_deadline());
  if (!read) return std::unexpected(unusable(url, read.error()));
  return std::unique_ptr<Store>(new Store(url, std::move(*connection)));
}

KeyValueStore::Traits Store::traits() const {
  return {.snapshots = false, .compare_and_swap = true, .atomic_batches = true, .uses_editions = true};
}

Task<std::vector<Reply>> Store::execute(Context& context, Query query, std::string_view event) {
  query.client = engine::client_id(context);
  auto replies = co_await engine::execute<Call>(context, loop_, std::move(query));
  if (!replies) co_return log_failure(context, event, replies.error());
  co_return std::move(*replies);
}

Task<std::vector<Reply>> Store::execute_write(Context& context, Request request) {
  const engine::Deadline deadline = engine::call_deadline(context);
  if (replicas_ > 0) request.add({"WAIT", std::to_string(replicas_), std::to_string(replica_timeout(deadline))});
  Query query{.request = std::move(request),
              .effect = Effect::write,
              .waits_for_replicas = replicas_ > 0,
              .deadline = deadline,
              .client = engine::client_id(context)};
  auto replies = co_await engine::execute<Call>(context, loop_, std::move(query));
  if (!replies && !replies.error().connection_lost) co_return log_failure(context, write_failed, replies.error());
  if (!replies) {
    log_fault(context, response_lost, replies.error().message);
    co_return std::vector<Reply>();
  }
  if (replicas_ == 0) co_return std::move(*replies);
  const Reply waited = std::move(replies->back());
  replies->pop_back();
  if (waited->type != REDIS_REPLY_INTEGER) co_return log_failure(context, write_failed, unexpected_reply());
  if (waited->integer < replicas_) {
    const std::string few = std::to_string(waited->integer) + " of " + std::to_string(replicas_);
    co_return log_failure(context, write_failed,
                          Fault{.message = few + " replicas acknowledged it in time: it may still be lost"});
  }
  co_return std::move(*replies);
}

Task<std::unique_ptr<portail::Session>> Store::open(Context&) { co_return std::make_unique<Session>(*this); }

Task<engine::Store::WriteOutcome> Store::apply(Context& context, std::span<const Change> changes) {
  Request request{"MULTI"};
  for (const Change& change : changes) {
    if (change.value) {
      request.add({"SET", change.key, *change.value});
    } else {
      request.add({"DEL", change.key});
    }
  }
  const std::size_t count = changes.size();
  request.add({"EXEC"}, {.max_bytes = ReplyLimit().max_bytes + count * 128, .max_elements = count});
  const auto replies = co_await execute_write(context, std::move(request));
  if (replies.empty()) co_return WriteOutcome::unknown;
  if (elements_of(*replies.back()).size() != count) co_return log_failure(context, write_failed, unexpected_reply());
  co_return WriteOutcome::done;
}

Task<engine::Store::WriteOutcome> Store::swap(Context& context, std::string_view key, Value expected,
                                              std::string_view desired) {
  Request request{"EVAL", swap_script, "1", key, expected ? "value" : "none", expected.value_or(""), desired};
  const auto replies = co_await execute_write(context, std::move(request));
  if (replies.empty()) co_return WriteOutcome::unknown;
  const redisReply& answer = *replies.front();
  if (answer.type != REDIS_REPLY_INTEGER) co_return log_failure(context, write_failed, unexpected_reply());
  co_return answer.integer == 1 ? WriteOutcome::done : WriteOutcome::mismatch;
}

Task<void> Store::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  const auto keys = co_await scan_keys(context, *this, prefix);
  const std::vector<std::string_view> names(keys.begin(), keys.end());
  for (std::size_t begin = 0; begin < names.size(); begin += scan_batch_size) {
    const std::size_t count = std::min(scan_batch_size, names.size() - begin);
    const auto batch = std::span(names).subspan(begin, count);
    const auto reply = co_await read_values(context, *this, batch, scan_failed);
    const auto found = elements_of(*reply);
    for (std::size_t i = 0; i < count; ++i) {
      const auto text = text_of(*found[i]);
      if (!text) continue;  // removed since, or not a string
      if (!visitor.visit(batch[i], *text)) co_return;
    }
  }
}

}  // namespace portail::redis
