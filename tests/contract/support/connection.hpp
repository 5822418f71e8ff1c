// One TCP or TLS connection on which the suite writes bytes as it likes and reads answers as they are.
// Strict about HTTP/1.1 framing (RFC 9112): an answer that it cannot frame throws std::runtime_error.
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
  std::string body;  // without the chunked framing

  // The value of the first header of that name, without regard to case; empty when there is none.
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

  // False when the peer would take no more; what it answered may still be read.
  bool send(std::string_view bytes);
  // The next answer; `head` when it answers HEAD. 100 Continue is skipped.
  Reply receive(bool head = false);
  // Waits for the peer to close: true if it did without another byte, false if bytes came.
  bool closed_by_peer();
  // True when the peer has closed, or sent what nobody asked for, before the next request.
  bool stale();
  // Everything until the peer closes.
  std::string receive_all();

 private:
  struct Socket;
  bool fill();  // false at the end
  std::string take_line();
  std::string take(std::size_t length);
  void receive_body(Reply& reply);

  std::unique_ptr<Socket> socket_;
  std::string buffer_;
};

bool equal_ignoring_case(std::string_view left, std::string_view right);

}  // namespace portail::contract
