// A listening socket. One thread at a time.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "core/storage/folder/descriptor.hpp"

namespace portail::server {

// Why accept() returned no connection.
enum class AcceptError : std::uint8_t {
  would_block,       // the listening socket must become readable first
  aborted,           // this connection failed before it was accepted; the next may be accepted immediately
  out_of_resources,  // no descriptor or no memory; retry later
  fatal,             // this socket cannot accept any more
};

class Listener {
 public:
  // Binds a literal address and listens. Port 0: any free port. The error is one line for the operator and names
  // `setting`, which has the address.
  static std::expected<Listener, std::string> open(const std::string& address, int port, std::string_view setting);

  // Returns the wildcard address: [::], which includes IPv4, or 0.0.0.0 if the kernel has no IPv6.
  static std::string wildcard_address();

  [[nodiscard]] int socket() const { return socket_.number(); }
  [[nodiscard]] int port() const;

  // Returns the next connection as a non-blocking socket. On an error errno has the cause.
  std::expected<Descriptor, AcceptError> accept();

 private:
  explicit Listener(Descriptor socket) : socket_(std::move(socket)) {}

  Descriptor socket_;
};

}  // namespace portail::server
