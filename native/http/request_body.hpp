// The body of one request, taken out of its framing (RFC 9112 sections 6 and 7.1), as the core pulls it. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/http/chunk_source.hpp"
#include "native/http/connection_reader.hpp"

namespace portail {

class RequestBody final : public ChunkSource {
 public:
  // No more than this of a body is handed out: one byte more than the core accepts, so that it can tell.
  static constexpr std::uint64_t largest_accepted = 64 * 1024;
  static constexpr std::chrono::seconds longest_time{20};

  // `reader` has just read `head`; both, and the stream that a 100 is written to, outlive the body.
  RequestBody(const RequestHead& head, ConnectionReader& reader, AwaitedStream& stream);

  // Fails with Failure::cancelled where the framing is broken (then fault() says so), or the client gone or too slow.
  Task<std::optional<std::string_view>> next(Context& context) override;

  // Why the body cannot be understood, where it cannot: the answer is this and not what the core made of it.
  [[nodiscard]] std::optional<FramingError> fault() const { return fault_; }
  // Whether the next request can be reached on this connection: everything was read, or what remains is short and on
  // its way. To be asked before the answer is written; skip_rest() then reads it away.
  [[nodiscard]] bool can_be_skipped() const;
  // False: the rest did not come, in time or at all.
  Task<bool> skip_rest(Context& context);

 private:
  enum class State : std::uint8_t { at_size_line, in_data, after_data, in_trailers, ended, failed };

  // The next bytes of data; empty at the end or after a failure.
  Task<std::string_view> pull(Context& context);
  // The same of what has been received; nullopt where more must be received first.
  std::optional<std::string_view> decode();
  std::optional<std::string_view> take_data();
  // One line of the chunked framing into line_, without its CRLF; false where it is not whole yet, or refused.
  bool take_line();
  // The line is whole: what it says.
  void start_chunk();
  void refuse();

  ConnectionReader& reader_;
  AwaitedStream& stream_;
  State state_;
  bool chunked_;
  bool awaits_continue_;
  std::uint64_t left_;  // of the body, or of the current chunk
  std::uint64_t handed_out_ = 0;
  std::size_t framing_ = 0;  // bytes of size lines and trailers so far
  std::string line_;         // what has been received of it
  std::optional<FramingError> fault_;
  std::optional<Deadline> deadline_;
};

}  // namespace portail
