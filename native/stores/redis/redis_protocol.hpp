// Requests and replies of the Redis protocol, over hiredis, without input and output. One thread at a time.
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

namespace portail::redis {

// Why the server did not execute a request. The message continues a sentence that begins with the server's name. It
// contains no part of the request, which may be a password or personal data.
struct Fault {
  Failure failure = Failure::unavailable;
  std::string message;
  bool connection_lost = false;    // before the reply arrived; whether the request was executed is unknown
  bool is_replica = false;         // the server is read-only
  bool requires_password = false;  // the server executes nothing before the client authenticates
};

// Upper bounds of one reply as it is sent. An element takes about 64 bytes of memory beside its own bytes, so the
// number of elements has a bound of its own. The default is for a reply without data: a status, a number, an error, a
// ROLE.
struct ReplyLimit {
  std::size_t max_bytes = std::size_t{64} * 1024;
  std::size_t max_elements = 1024;  // of all arrays of the reply together
};

// Commands that are sent together.
class Request {
 public:
  Request() = default;
  Request(std::initializer_list<std::string_view> command) { add(command); }
  // Appends a command: its name, then its arguments, which are copied. `limit` applies to its reply.
  void add(std::span<const std::string_view> command, ReplyLimit limit = {});
  void add(std::initializer_list<std::string_view> command, ReplyLimit limit = {}) {
    add(std::span(command.begin(), command.size()), limit);
  }

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] std::size_t count() const { return limits_.size(); }
  // Returns one limit for each command, in their order.
  [[nodiscard]] std::span<const ReplyLimit> limits() const { return limits_; }

 private:
  std::string bytes_;
  std::vector<ReplyLimit> limits_;
};

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

// Returns the elements of an array; empty for any other reply.
std::span<redisReply* const> elements_of(const redisReply& reply);
// Returns the bytes of a string or a status, which live as long as the reply; nullopt for any other reply.
std::optional<std::string_view> text_of(const redisReply& reply);
// Returns the fault if the reply is an error, or an array that contains one.
std::optional<Fault> fault_in(const redisReply& reply);
// Returns the first of these faults.
std::optional<Fault> first_fault(std::span<const Reply> replies);
// Returns the fault of a reply that does not fit its command.
Fault unexpected_reply();
// Returns the fault of a reply that exceeds the limit of its command.
Fault excessive_reply();

// Parses replies from the bytes that are received. It reads RESP2 only, since the portal requests no other version.
// Limits are checked before hiredis allocates; the depth is limited because hiredis frees arrays recursively. After a
// fault the reader must be destroyed.
class ReplyReader {
 public:
  // Arrays within arrays: ROLE has three levels.
  static constexpr std::size_t max_depth = 4;
  // Bytes of a status, an error or a number. hiredis searches the whole line for its end each time more of it arrives.
  static constexpr std::size_t max_line = std::size_t{64} * 1024;

  ReplyReader();

  // Appends the limits of the next replies. A reply that is not expected is a fault.
  void expect(std::span<const ReplyLimit> limits);
  void feed(std::span<const char> bytes);
  // Returns null if the next reply is incomplete. Fails if the bytes violate the protocol or exceed a limit.
  std::expected<Reply, Fault> next();

 private:
  // The state that hiredis passes to the functions that create the objects of a reply.
  struct BuildContext {
    redisReplyObjectFunctions bounded{};
    const redisReplyObjectFunctions* unbounded = nullptr;  // hiredis's own
    std::deque<ReplyLimit> limits{};                       // the first one has the elements left for the current reply
    bool exceeds_a_limit = false;
  };
  struct Free {
    void operator()(redisReader* reader) const { redisReaderFree(reader); }
  };

  static void* create_string(const redisReadTask* task, char* text, std::size_t size);
  static void* create_array(const redisReadTask* task, std::size_t count);
  static void* create_nil(const redisReadTask* task);
  [[nodiscard]] bool has_endless_line() const;
  [[nodiscard]] std::unexpected<Fault> refused();

  std::unique_ptr<BuildContext> context_ = std::make_unique<BuildContext>();
  std::unique_ptr<redisReader, Free> reader_{redisReaderCreate()};
  std::size_t parsed_ = 0;  // bytes of the current reply
};

}  // namespace portail::redis
