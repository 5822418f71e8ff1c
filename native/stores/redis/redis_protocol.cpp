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

void RedisRequest::add(std::span<const std::string_view> command) {
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
  ++count_;
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

void RedisReplyReader::feed(std::span<const char> bytes) {
  // A failure is kept in the reader, and told by the next reply.
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

std::expected<RedisReply, RedisFault> RedisReplyReader::next() {
  void* reply = nullptr;
  if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) return std::unexpected(unexpected_reply());
  return RedisReply(static_cast<redisReply*>(reply));
}

}  // namespace portail
