// One connection to a server, and the calls that it carries.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/redis/redis_protocol.hpp"
#include "native/stores/redis/redis_socket.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail::redis {

// One call of the store: the query that is sent to the server. The outcome has one reply for each command, none of them
// an error. Any thread.

struct Query {
  // A read is retried once over another connection if its connection is lost. A write is never retried, since it may
  // have been done.
  enum class Effect : std::uint8_t { read, write };

  Request request;
  Effect effect = Effect::read;
  bool waits_for_replicas =
      false;  // the server delays its reply, and executes nothing else on that connection meanwhile
  engine::Deadline deadline;
  std::size_t keys = 1;      // approximate number of keys that the call reads or writes
  std::uint64_t client = 0;  // calls of different clients are served in turn; 0: unknown
};

using Call = engine::Call<Query, std::vector<Reply>, Fault>;

// One connection to a Redis server: a thread waits for each reply (execute), or the caller's event loop sends and
// receives (send, advance), with any number of requests in flight. After a fault the connection must be destroyed. One
// thread at a time.

class Connection {
 public:
  static constexpr std::chrono::seconds connect_timeout{2};

  // Connects, authenticates as the URL's user and selects its database; succeeds once the server has answered a PING.
  // Resolving the host's name is not bounded by the deadline.
  static std::expected<Connection, Fault> open(const Url& url, engine::Deadline deadline);

  // Sends the request and waits for one reply to each of its commands. Fails with the first reply that is an error; the
  // server has then executed the other commands nevertheless, unless they are in a transaction.
  std::expected<std::vector<Reply>, Fault> execute(const Request& request, engine::Deadline deadline);

  // Appends the request to the send buffer; advance() sends it.
  void send(const Request& request) {
    unsent_ += request.bytes();
    reader_.expect(request.limits());
  }
  // Sends the buffer and receives at most 1 MiB, without waiting. Appends the replies to `replies` in the order of the
  // requests, including those that preceded a fault. There are never more replies than commands.
  std::expected<void, Fault> advance(std::vector<Reply>& replies);
  // Returns whether advance() also waits until the socket is writable.
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  // Returns whether this side still considers the connection open. No request may be in flight.
  [[nodiscard]] bool is_alive();

  [[nodiscard]] int socket() const { return socket_.number(); }

 private:
  explicit Connection(Socket socket) : socket_(std::move(socket)) {}
  std::expected<void, Fault> send_unsent();
  std::expected<void, Fault> receive(std::vector<Reply>& replies);

  Socket socket_;
  std::string unsent_;
  ReplyReader reader_;
};

}  // namespace portail::redis
