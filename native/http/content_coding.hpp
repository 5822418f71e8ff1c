// Compressed answers (RFC 9110 sections 8.4 and 12.5.3): which coding a client gets, and its coded bytes.
// gzip, which every client knows, and zstd, which is smaller and quicker. Not br: at the settings that are quick enough
// for an answer that is made on request it wins nothing over zstd; what the build compressed is stored so. Pure
// functions; a Compressor is one thread's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

enum class ContentCoding : std::uint8_t { identity, gzip, zstd, brotli };

// The name in Content-Encoding, which is the suffix of the entity tag too.
[[nodiscard]] std::string_view name_of(ContentCoding coding);

// A whole answer under this size is sent as it is: it fits a packet anyway.
inline constexpr std::size_t smallest_compressed = 1024;

// What the request's Accept-Encoding prefers of what a Compressor makes; at equal preference zstd.
[[nodiscard]] ContentCoding preferred_coding(const Request& request);
// The same of what is `offered`; at equal preference the first.
[[nodiscard]] ContentCoding preferred_coding(const Request& request, std::span<const ContentCoding> offered);
// Whether an answer with these fields may and should be compressed: text of some kind, not coded already.
[[nodiscard]] bool is_compressible(const Response& response);

// docs/reference/contract.md, "Answers: validators, compressed forms": a compressed answer has the tag with `-gzip`,
// `-br` or
// `-zstd` before the closing quote.
void mark_coded(Response& response, ContentCoding coding);
// A 304 names the tag that the client holds: the suffixed one where If-None-Match lists that and not the plain one.
void match_not_modified_tag(const Request& request, Response& response);

class Compressor {
 public:
  explicit Compressor(ContentCoding coding);  // gzip or zstd
  ~Compressor();
  // Appends coded bytes to `out`, perhaps none before the last.
  void compress(std::string_view bytes, bool last, std::string& out);
  // Bytes that it occupies.
  [[nodiscard]] std::size_t memory() const;

  struct Engine;  // one for each coding

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace portail
