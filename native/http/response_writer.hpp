// Writes answers with the framing of HTTP/1.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/time.hpp"
#include "core/http/response.hpp"
#include "native/http/byte_stream.hpp"
#include "native/http/content_coding.hpp"
#include "native/http/request_head.hpp"

namespace portail {

// Dates of HTTP (RFC 9110 section 5.6.7).

// Formats and caches the Date of answers. One thread at a time.
class HttpDate {
 public:
  // Returns an IMF-fixdate (RFC 9110 section 5.6.7): "Sat, 21 Nov 2026 09:30:00 GMT"; valid until the next call.
  std::string_view format(Instant now);

 private:
  std::int64_t second_ = -1;
  std::string text_;
};

// Returns the seconds since 1970 of an IMF-fixdate; nullopt for other text, also for the obsolete forms. Any thread.
std::optional<std::int64_t> parse_http_date(std::string_view text);

// Writes answers as HTTP/1.1 messages (RFC 9112): status line, fields, and the body with Content-Length or in chunks.
// One thread at a time.

struct ResponseFraming {
  int minor_version = 1;   // of the request: HTTP/1.0 has no chunks
  bool omit_body = false;  // HEAD
  bool close = false;      // close the connection after the answer
  ContentCoding coding = ContentCoding::identity;
  std::string_view date;  // IMF-fixdate
};

class ResponseWriter {
 public:
  explicit ResponseWriter(AsyncStream& stream) : stream_(stream) {}

  // Writes an answer. Fails if it cannot be sent whole, or its source of chunks fails; then the connection must be
  // closed. `context` is passed to that source. All three arguments must live until the answer is written.
  Task<void> write(Context& context, Response& response, const ResponseFraming& framing);
  // The deadline of the whole answer.
  [[nodiscard]] Deadline deadline() const { return deadline_; }

  // Approximate memory, in bytes, of the answer that is being written; 0 between answers.
  [[nodiscard]] std::size_t occupied() const { return occupied_; }

 private:
  // Estimated memory, in bytes, of a source of chunks: a session of the store.
  static constexpr std::size_t memory_per_source = 64 * 1024;

  // Applies even if the peer receives steadily, because a streamed body holds a snapshot of the store.
  static constexpr std::chrono::minutes answer_timeout{5};

  Task<void> write_whole(Context& context, std::string_view body, bool omit_body);
  Task<void> write_chunks(Context& context, ChunkSource& source, ContentCoding coding, bool in_chunks);

  AsyncStream& stream_;
  std::string out_;  // its memory is reused
  std::size_t occupied_ = 0;
  Deadline deadline_;
};

}  // namespace portail
