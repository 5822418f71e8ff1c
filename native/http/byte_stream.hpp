// One accepted connection as a stream of bytes: a TCP socket, with or without TLS. No call blocks: it returns what it
// must wait for. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

namespace portail {

using Deadline = std::chrono::steady_clock::time_point;

// Why a call transferred no bytes.
enum class StreamStatus : std::uint8_t {
  closed,      // the peer closed its side, or the connection failed; final
  want_read,   // the socket must become readable first
  want_write,  // the socket must become writable first
  plain_http,  // of open() only: the peer sends HTTP without TLS; the answer can be written without TLS
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Does the TLS handshake, if any. Repeat until it succeeds; other calls come after it.
  virtual std::expected<void, StreamStatus> open() { return {}; }
  // Reads at least one byte into `into`; returns the number of bytes.
  virtual std::expected<std::size_t, StreamStatus> read(std::span<char> into) = 0;
  // Whether bytes are buffered, so that read() returns some before the socket is readable again.
  [[nodiscard]] virtual bool has_pending() const { return false; }
  // Writes at least one of `bytes`; returns the number of bytes.
  virtual std::expected<std::size_t, StreamStatus> write(std::string_view bytes) = 0;
  // Ends the writing side: the peer reads the end after all bytes.
  virtual void finish() = 0;
};

}  // namespace portail
