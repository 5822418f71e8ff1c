// The socket that connections are accepted from. One thread at a time.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "core/files/descriptor.hpp"

namespace portail {

// Why no connection was accepted.
enum class NotAccepted : std::uint8_t {
  none_waits,   // the listening socket must become readable first
  lost,         // one ended, or failed, before it was taken: the next may be asked for at once
  out_of_room,  // the machine has no descriptor or no memory to spare: it may have, later
  broken,       // this socket never accepts again
};

class Listener {
 public:
  // Takes the address, a literal one; connections wait there from now on. Port 0: any free one. An error is one line
  // for the operator, who chose the address by `setting`.
  static std::expected<Listener, std::string> open(const std::string& address, int port, std::string_view setting);

  // What stands for every address of the machine: [::], which is IPv4 too, or 0.0.0.0 where the kernel has no IPv6.
  static std::string every_address();

  [[nodiscard]] int socket() const { return socket_.number(); }
  [[nodiscard]] int port() const;

  // The next connection that waits: its socket, which does not block. Where there is none, errno says more.
  std::expected<Descriptor, NotAccepted> accept();

 private:
  explicit Listener(Descriptor socket) : socket_(std::move(socket)) {}

  Descriptor socket_;
};

}  // namespace portail
