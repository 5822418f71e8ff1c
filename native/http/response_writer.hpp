// Writes answers as HTTP/1.1 messages (RFC 9112): status line, fields, and the body with its length or in chunks.
// One thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/http/response.hpp"
#include "native/http/awaited_stream.hpp"
#include "native/http/content_coding.hpp"
#include "native/http/request_head.hpp"

namespace portail {

struct ResponseFraming {
  int minor_version = 1;      // the client's: HTTP/1.0 knows no chunks
  bool without_body = false;  // HEAD
  bool close = false;         // this connection ends after the answer
  ContentCoding coding = ContentCoding::identity;
  std::string_view date;  // IMF-fixdate
};

class ResponseWriter {
 public:
  explicit ResponseWriter(AwaitedStream& stream) : stream_(stream) {}

  // Fails where the answer could not be sent whole, and the connection must be broken off. A body of chunks is pulled
  // with `context`; its own failure does that too. All three must live until the answer is written.
  Task<void> write(Context& context, Response& response, const ResponseFraming& framing);
  // When the answer that is being written must have ended.
  [[nodiscard]] Deadline deadline() const { return deadline_; }

  // Bytes of memory that the answer which is being written occupies, about; 0 between answers.
  [[nodiscard]] std::size_t occupied() const { return occupied_; }

 private:
  // A session of the store, and what else goes with a source of chunks.
  static constexpr std::size_t of_a_source = 64 * 1024;

  // However steadily the peer takes it: a streamed body holds a snapshot of the store.
  static constexpr std::chrono::minutes longest_answer_time{5};

  Task<void> write_whole(Context& context, std::string_view body, bool without_body);
  Task<void> write_chunks(Context& context, ChunkSource& source, ContentCoding coding, bool in_chunks);

  AwaitedStream& stream_;
  std::string out_;  // reused from answer to answer
  std::size_t occupied_ = 0;
  Deadline deadline_;
};

}  // namespace portail
