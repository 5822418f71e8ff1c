// Requests and replies of the Redis protocol, over hiredis: no input, no output. One thread at a time.
#pragma once

#include <cstddef>
#include <expected>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

// Commands that are sent in one go.
class RedisRequest {
 public:
  RedisRequest() = default;
  RedisRequest(std::initializer_list<std::string_view> command) { add(command); }
  // The command's name first. The arguments are copied.
  void add(std::span<const std::string_view> command);
  void add(std::initializer_list<std::string_view> command) { add(std::span(command.begin(), command.size())); }

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::string bytes_;
  std::size_t count_ = 0;
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

// Takes the bytes as they come, and gives the replies that are in them.
class RedisReplyReader {
 public:
  // More than any batch has keys; hiredis makes room for all elements that an array announces, before they come.
  static constexpr long long most_elements = 1 << 20;

  RedisReplyReader() { reader_->maxelements = most_elements; }

  void feed(std::span<const char> bytes);
  // Null where the next reply is not whole yet; a fault where the bytes are not the protocol.
  std::expected<RedisReply, RedisFault> next();

 private:
  struct Free {
    void operator()(redisReader* reader) const { redisReaderFree(reader); }
  };
  std::unique_ptr<redisReader, Free> reader_{redisReaderCreate()};
};

}  // namespace portail
