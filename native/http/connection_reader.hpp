// Reads the heads and the bodies of requests from one connection, in order, with pipelining. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/http/request.hpp"
#include "native/http/byte_stream.hpp"
#include "native/http/request_head.hpp"

namespace portail {

// Calls that wait fail with Failure::cancelled if the peer has closed or timed out.
class ConnectionReader {
 public:
  static constexpr std::chrono::seconds head_timeout{10};

  // The stream must outlive the reader.
  explicit ConnectionReader(AsyncStream& stream) : stream_(stream) {}

  // Whether received bytes are not consumed yet.
  [[nodiscard]] bool has_unread() const {
    return head_buffer_.next < head_buffer_.end || body_buffer_.next < body_buffer_.end || stream_.has_pending();
  }
  // Waits for the first bytes of a request.
  Task<void> await_request(Context& context, Deadline deadline);
  // Reads the rest of the head within head_timeout. The views in `head` are valid until the next call.
  Task<std::expected<void, FramingError>> read_head(Context& context, RequestHead& head);

  // Consumes up to `limit` received bytes after the head; the view is valid until the next receive().
  std::string_view consume(std::size_t limit);
  // Receives more bytes, after consume() has returned all.
  Task<void> receive(Context& context, Deadline deadline);

  // Reads and discards until the peer has closed or the deadline passes. Closing a socket with unread bytes would reset
  // the connection before the peer has read the answer (RFC 9112 section 9.6).
  Task<void> discard_until(Context& context, Deadline deadline);

 private:
  static constexpr std::size_t initial_buffer_size = 4 * 1024;
  static constexpr std::size_t max_read_size = 16 * 1024;

  // [next, end) has the bytes that are received but not consumed.
  struct Buffer {
    std::vector<char> bytes;
    std::size_t next = 0;
    std::size_t end = 0;
    [[nodiscard]] std::string_view unread() const { return {bytes.data() + next, end - next}; }
  };
  std::span<char> head_space();

  AsyncStream& stream_;
  Buffer head_buffer_;  // moves its bytes only during read_head(), because heads are views of it
  Buffer body_buffer_;  // bytes received after the head; used after head_buffer_ is consumed
};

// Decodes the body of one request from its framing (RFC 9112 sections 6 and 7.1). One thread.
class RequestBody final : public ChunkSource {
 public:
  static constexpr std::chrono::seconds read_timeout{20};

  // `reader` has just read `head`. All references must outlive the body; a 100 is written to `stream`.
  // `bytes_per_timeout` must arrive within read_timeout, again and again; 0: the whole body must.
  RequestBody(const RequestHead& head, ConnectionReader& reader, AsyncStream& stream,
              std::uint64_t bytes_per_timeout = 0);

  // Returns all of the body, however long: its reader has the limit. Fails with Failure::body_late if the client has
  // timed out, with body_incomplete if it has closed or the framing is malformed (see framing_error()), and with
  // cancelled if the request was (RequestSuspension).
  Task<std::optional<std::string_view>> next(Context& context) override;

  // Why the framing is malformed. If set, the answer is this error instead of the core's.
  [[nodiscard]] std::optional<FramingError> framing_error() const { return framing_error_; }
  // Whether the connection can be reused: the body is read, or its rest is short enough for skip_rest(). Call it before
  // the answer is written.
  [[nodiscard]] bool can_be_skipped() const;
  // Discards the rest of the body; false if it does not arrive in time.
  Task<bool> skip_rest(Context& context);

 private:
  enum class State : std::uint8_t { at_size_line, in_data, after_data, in_trailers, ended, failed };

  // Returns the next bytes of data; empty at the end and after a failure.
  Task<std::string_view> pull(Context& context);
  // The same from received bytes; nullopt if more must be received.
  std::optional<std::string_view> decode();
  std::optional<std::string_view> read_data();
  // Reads a line of the chunked framing into line_, without CRLF. Returns false if it is incomplete or malformed.
  bool read_line();
  // Parses the chunk size in line_.
  void start_chunk();
  void fail();

  ConnectionReader& reader_;
  AsyncStream& stream_;
  State state_;
  bool chunked_;
  bool awaits_continue_;
  std::uint64_t remaining_;  // of the body or the current chunk
  std::uint64_t bytes_per_timeout_;
  std::uint64_t delivered_ = 0;
  std::uint64_t delivered_at_deadline_ = 0;  // when deadline_ was set
  std::size_t framing_size_ = 0;             // bytes of size lines and trailers so far
  std::string line_;                         // the received part of the line
  std::optional<FramingError> framing_error_;
  std::optional<Deadline> deadline_;
};

}  // namespace portail
