// Requests and replies of the Redis protocol, over hiredis: no input, no output. One thread at a time.
#pragma once

#include <cstddef>
#include <deque>
#include <expected>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hiredis/hiredis.h>

#include "core/base/failure.hpp"

namespace portail {

// Why the server did not do what it was asked. The text is the end of a sentence that began with the server's name; it
// holds nothing that was sent, which may be a password or a person's data.
struct RedisFault {
  Failure failure = Failure::unavailable;
  std::string text;
  // The connection ended before the answer came: what was asked may have been done or not.
  bool lost = false;
  bool is_replica = false;      // the server takes no writes (any more)
  bool wants_password = false;  // it wants to know who asks before it does anything
};

// Upper bounds of one reply as it is sent. An element takes about 64 bytes of memory beside its own bytes, so the
// number of elements is bounded apart. The default is for a reply without data: a status, a number, an error, a ROLE.
struct RedisReplyLimit {
  std::size_t max_bytes = std::size_t{64} * 1024;
  std::size_t max_elements = 1024;  // of all arrays of the reply together
};

// Commands that are sent in one go.
class RedisRequest {
 public:
  RedisRequest() = default;
  RedisRequest(std::initializer_list<std::string_view> command) { add(command); }
  // The command's name first. The arguments are copied. `limit` is of the reply to this command.
  void add(std::span<const std::string_view> command, RedisReplyLimit limit = {});
  void add(std::initializer_list<std::string_view> command, RedisReplyLimit limit = {}) {
    add(std::span(command.begin(), command.size()), limit);
  }

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] std::size_t count() const { return limits_.size(); }
  // One for each command, in their order.
  [[nodiscard]] std::span<const RedisReplyLimit> limits() const { return limits_; }

 private:
  std::string bytes_;
  std::vector<RedisReplyLimit> limits_;
};

struct FreeRedisReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using RedisReply = std::unique_ptr<redisReply, FreeRedisReply>;

// The elements of an array; nothing where the reply is none.
std::span<redisReply* const> elements_of(const redisReply& reply);
// The bytes of a string or a status, as long as the reply lives; nothing where it is neither.
std::optional<std::string_view> text_of(const redisReply& reply);
// What the server says if the reply is an error, or an array that holds one.
std::optional<RedisFault> refusal_in(const redisReply& reply);
// The first of these refusals.
std::optional<RedisFault> first_refusal(std::span<const RedisReply> replies);
// The server answered with something that the command has no place for.
RedisFault unexpected_reply();
// The reply exceeds the limit of its command.
RedisFault excessive_reply();

// Takes the bytes as they come, and gives the replies that are in them. Only RESP2 is read, since no connection of the
// portal asks for another version. Each reply is held to its limit before hiredis allocates it, and to a depth, since
// hiredis frees an array by recursion. After a fault it is good for nothing but to be destroyed.
class RedisReplyReader {
 public:
  // Arrays within arrays: ROLE has three levels.
  static constexpr std::size_t max_depth = 4;
  // A status, an error or a number. hiredis searches the whole line for its end whenever more of it has come.
  static constexpr std::size_t max_line = std::size_t{64} * 1024;

  RedisReplyReader();

  // The limits of the replies that come next, behind those that are expected already. A reply that is not expected is a
  // fault.
  void expect(std::span<const RedisReplyLimit> limits);
  void feed(std::span<const char> bytes);
  // Null where the next reply is not whole yet; a fault where the bytes are not the protocol, or exceed a limit.
  std::expected<RedisReply, RedisFault> next();

 private:
  // What the functions see that make the objects of a reply.
  struct Making {
    redisReplyObjectFunctions bounded{};
    const redisReplyObjectFunctions* unbounded = nullptr;  // hiredis's own
    std::deque<RedisReplyLimit> limits{};                  // the elements left, in that of the reply under way
    bool exceeds_a_limit = false;
  };
  struct Free {
    void operator()(redisReader* reader) const { redisReaderFree(reader); }
  };

  static void* make_string(const redisReadTask* task, char* text, std::size_t size);
  static void* make_array(const redisReadTask* task, std::size_t count);
  static void* make_nil(const redisReadTask* task);
  [[nodiscard]] bool has_endless_line() const;
  [[nodiscard]] std::unexpected<RedisFault> refused();

  std::unique_ptr<Making> making_ = std::make_unique<Making>();
  std::unique_ptr<redisReader, Free> reader_{redisReaderCreate()};
  std::size_t parsed_ = 0;  // bytes of the reply under way
};

}  // namespace portail
