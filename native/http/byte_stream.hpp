// One accepted connection as bytes: a TCP socket, in clear or under TLS. Nothing here waits: what cannot be done now
// says what must come first. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

namespace portail {

using Deadline = std::chrono::steady_clock::time_point;

// Why no byte moved.
enum class Stall : std::uint8_t {
  ended,           // the peer closed its side, or the connection broke: none ever will
  until_readable,  // the socket must have something to read first
  until_writable,  // the socket must have room first
  in_clear,        // of open() only: the peer does not speak as expected, and can be told so, in clear
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // To be repeated until it succeeds, before anything else: agrees on keys where there are any.
  virtual std::expected<void, Stall> open() { return {}; }
  // At least one byte into `into`, and how many.
  virtual std::expected<std::size_t, Stall> read(std::span<char> into) = 0;
  // Whether there are bytes to read that the socket has already given up, so that it need not become readable again.
  [[nodiscard]] virtual bool has_pending() const { return false; }
  // At least one of `bytes`, and how many.
  virtual std::expected<std::size_t, Stall> write(std::string_view bytes) = 0;
  // No more will be written: the peer sees the end once it has read everything.
  virtual void finish() = 0;
};

}  // namespace portail
