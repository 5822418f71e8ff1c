// A TCP or TLS connection that sends arbitrary bytes and returns answers unchanged. Strict about HTTP/1.1 framing (RFC
// 9112): an answer with invalid framing throws std::runtime_error.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/contract/support/environment.hpp"

namespace portail::contract {

struct Header {
  std::string name;
  std::string value;
};

struct Reply {
  int status = 0;
  std::vector<Header> headers;
  std::string body;               // without the chunked framing
  bool follows_continue = false;  // 100 Continue came before it

  // Returns the value of the first header of that name, ignoring case; empty if it is missing.
  std::string header(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  bool has(std::string_view name) const { return count(name) != 0; }
};

class Connection {
 public:
  explicit Connection(const BaseUrl& url);
  ~Connection();
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;

  // Returns false if the peer accepts no more bytes; its answer may still be read.
  bool send(std::string_view bytes);
  // Returns the next answer; `head` for the answer to HEAD. 100 Continue is skipped.
  Reply receive(bool head = false);
  // Waits until the peer closes. Returns true if no byte was received before.
  bool closed_by_peer();
  // Whether the peer has closed the connection, or sent bytes without a request.
  bool stale();
  // Returns all bytes until the peer closes.
  std::string receive_all();

 private:
  struct Socket;
  bool fill();  // false at the end
  std::string read_line();
  std::string read_exactly(std::size_t length);
  void receive_body(Reply& reply);

  std::unique_ptr<Socket> socket_;
  std::string buffer_;
};

bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace portail::contract
