#include "native/stores/redis/redis_protocol.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portail {
namespace {

struct Refusal {
  std::string_view begins;
  std::string_view means;
};

constexpr std::array refusals = {
    Refusal{"LOADING", "it is still loading its data"},
    Refusal{"MASTERDOWN", "it is a replica that has lost its primary"},
    Refusal{"READONLY", "it is a replica: only the primary takes writes"},
    Refusal{"NOREPLICAS", "it has too few replicas to take writes"},
    Refusal{"OOM", "it has no memory left"},
    Refusal{"MISCONF", "it cannot save its data, and takes no writes until it can"},
    Refusal{"BUSY", "it is busy with a script"},
    Refusal{"NOAUTH", "it wants a user and a password"},
    Refusal{"WRONGPASS", "it does not know this user with this password"},
    Refusal{"NOPERM", "its user may not do this"},
    Refusal{"MOVED", "it is part of a cluster, which spreads the keys: use one server that has them all"},
    Refusal{"CROSSSLOT", "it is part of a cluster, which spreads the keys: use one server that has them all"},
    Refusal{"CLUSTERDOWN", "it is part of a cluster, which spreads the keys: use one server that has them all"},
    Refusal{"WRONGTYPE", "a key of the portal holds something else than a string"},
    Refusal{"ERR unknown command 'SENTINEL'", "it is no sentinel"},
    Refusal{"ERR max number of clients", "it takes no more connections"},
    Refusal{"ERR DB index", "it has no database of that number"},
    Refusal{"ERR AUTH", "it wants no password"},
    Refusal{"EXECABORT", "it refused the transaction"},
};

bool is_of_a_code(char c) { return c >= 'A' && c <= 'Z'; }

// An error can repeat what was sent (an unknown command's arguments): only its code, a word in capitals, is passed on.
RedisFault refusal_of(std::string_view error) {
  const auto end = std::ranges::find_if_not(error, is_of_a_code);
  std::string code(error.begin(), end);
  if (code.empty() || code.size() > 20) code = "error";
  const auto* known = std::ranges::find_if(refusals, [error](const Refusal& r) { return error.starts_with(r.begins); });
  const std::string_view means = known == refusals.end() ? "it refused a command" : known->means;
  return {.failure = code == "WRONGTYPE" ? Failure::corrupt : Failure::unavailable,
          .text = std::string(means) + " (" + code + ")",
          .is_replica = code == "READONLY",
          .wants_password = code == "NOAUTH"};
}

}  // namespace

void RedisRequest::add(std::span<const std::string_view> command, RedisReplyLimit limit) {
  std::vector<const char*> starts;
  std::vector<std::size_t> sizes;
  for (const std::string_view argument : command) {
    starts.push_back(argument.data());
    sizes.push_back(argument.size());
  }
  char* formatted = nullptr;
  const long long size =
      redisFormatCommandArgv(&formatted, static_cast<int>(command.size()), starts.data(), sizes.data());
  if (size < 0) throw std::bad_alloc();
  bytes_.append(formatted, static_cast<std::size_t>(size));
  redisFreeCommand(formatted);
  limits_.push_back(limit);
}

std::span<redisReply* const> elements_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY) return {};
  return {reply.element, reply.elements};
}

std::optional<std::string_view> text_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_STRING && reply.type != REDIS_REPLY_STATUS) return std::nullopt;
  return std::string_view(reply.str, reply.len);
}

std::optional<RedisFault> refusal_in(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_ERROR) return refusal_of({reply.str, reply.len});
  for (const redisReply* element : elements_of(reply)) {
    if (auto refusal = refusal_in(*element)) return refusal;
  }
  return std::nullopt;
}

std::optional<RedisFault> first_refusal(std::span<const RedisReply> replies) {
  for (const RedisReply& reply : replies) {
    if (auto refusal = refusal_in(*reply)) return refusal;
  }
  return std::nullopt;
}

RedisFault unexpected_reply() { return {.text = "it answers what the Redis protocol has no place for"}; }

RedisFault excessive_reply() { return {.text = "its reply is larger than any to this command"}; }

RedisReplyReader::RedisReplyReader() {
  if (!reader_) throw std::bad_alloc();
  making_->unbounded = reader_->fn;
  making_->bounded = {
      .createString = make_string,
      .createArray = make_array,
      .createInteger = reader_->fn->createInteger,
      .createDouble = [](const redisReadTask*, double, char*, std::size_t) -> void* { return nullptr; },
      .createNil = make_nil,
      .createBool = [](const redisReadTask*, int) -> void* { return nullptr; },
      .freeObject = reader_->fn->freeObject,
  };
  reader_->fn = &making_->bounded;
  reader_->privdata = making_.get();
}

// Null ends the reply: hiredis frees what there is of it, and fails from then on.
void* RedisReplyReader::make_string(const redisReadTask* task, char* text, std::size_t size) {
  auto& making = *static_cast<Making*>(task->privdata);
  const bool is_line = task->type == REDIS_REPLY_STATUS || task->type == REDIS_REPLY_ERROR;
  if (is_line) making.exceeds_a_limit |= size > max_line;
  if (making.exceeds_a_limit || (!is_line && task->type != REDIS_REPLY_STRING)) return nullptr;
  return making.unbounded->createString(task, text, size);
}

void* RedisReplyReader::make_array(const redisReadTask* task, std::size_t count) {
  auto& making = *static_cast<Making*>(task->privdata);
  if (task->type != REDIS_REPLY_ARRAY) return nullptr;
  std::size_t depth = 1;
  for (const redisReadTask* parent = task->parent; parent; parent = parent->parent) ++depth;
  std::size_t& left = making.limits.front().max_elements;
  making.exceeds_a_limit |= depth > max_depth || count > left;
  if (making.exceeds_a_limit) return nullptr;
  left -= count;
  return making.unbounded->createArray(task, count);
}

void* RedisReplyReader::make_nil(const redisReadTask* task) {
  if (task->type == REDIS_REPLY_NIL) return nullptr;  // RESP3's
  return static_cast<Making*>(task->privdata)->unbounded->createNil(task);
}

void RedisReplyReader::expect(std::span<const RedisReplyLimit> limits) {
  making_->limits.insert(making_->limits.end(), limits.begin(), limits.end());
}

void RedisReplyReader::feed(std::span<const char> bytes) {
  // A failure is kept in the reader, and told by the next reply.
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

std::expected<RedisReply, RedisFault> RedisReplyReader::next() {
  const auto unread = [this] { return reader_->len - reader_->pos; };
  if (making_->limits.empty()) {
    if (unread() > 0) return std::unexpected(unexpected_reply());
    return RedisReply();
  }
  const std::size_t before = unread();
  void* read = nullptr;
  if (redisReaderGetReply(reader_.get(), &read) != REDIS_OK) return refused();
  RedisReply reply(static_cast<redisReply*>(read));
  parsed_ += before - unread();
  const std::size_t size = parsed_ + (reply ? 0 : unread());
  making_->exceeds_a_limit |= size > making_->limits.front().max_bytes || (!reply && has_endless_line());
  if (making_->exceeds_a_limit) return refused();
  if (!reply) return reply;
  parsed_ = 0;
  making_->limits.pop_front();
  return reply;
}

// Of the element that is not whole: whether its line, or the one before a string, is too long already.
bool RedisReplyReader::has_endless_line() const {
  constexpr std::size_t max_length_line = 32;
  if (reader_->ridx < 0) return false;
  const std::string_view unread(reader_->buf + reader_->pos, reader_->len - reader_->pos);
  if (reader_->task[reader_->ridx]->type != REDIS_REPLY_STRING) return unread.size() > max_line + 1;
  return unread.size() > max_length_line && !unread.substr(0, max_length_line).contains('\n');
}

std::unexpected<RedisFault> RedisReplyReader::refused() {
  return std::unexpected(making_->exceeds_a_limit ? excessive_reply() : unexpected_reply());
}

}  // namespace portail
