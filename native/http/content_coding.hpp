// Compressed answers (RFC 9110 sections 8.4 and 12.5.3): content negotiation and compression. gzip, which all clients
// support, and zstd, which is smaller and faster. Brotli only for files that the build compressed: at the levels that
// are fast enough for a request it is no better than zstd. Pure functions; a Compressor belongs to one thread.
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

// Returns the name in Content-Encoding, which is also the suffix of the entity tag.
[[nodiscard]] std::string_view name_of(ContentCoding coding);

// Smaller answers are not compressed, because they fit into one packet.
inline constexpr std::size_t min_compressed_size = 1024;

// Returns the coding that the request's Accept-Encoding prefers of those of a Compressor; zstd if preferences are
// equal.
[[nodiscard]] ContentCoding preferred_coding(const Request& request);
// The same of the `offered` codings; the first if preferences are equal.
[[nodiscard]] ContentCoding preferred_coding(const Request& request, std::span<const ContentCoding> offered);
// Whether to compress an answer with these fields: text that has no coding yet.
[[nodiscard]] bool is_compressible(const Response& response);

// Sets Content-Encoding, and appends `-gzip`, `-br` or `-zstd` to the entity tag, before the closing quote
// (docs/reference/contract.md, "Answers: validators, compressed forms").
void mark_coded(Response& response, ContentCoding coding);
// Sets the tag of a 304 to the client's: with the suffix, if If-None-Match lists only that form.
void match_not_modified_tag(const Request& request, Response& response);

class Compressor {
 public:
  explicit Compressor(ContentCoding coding);  // gzip or zstd
  ~Compressor();
  // Appends compressed bytes to `out`; possibly none before the last call.
  void compress(std::string_view bytes, bool last, std::string& out);
  // Memory, in bytes.
  [[nodiscard]] std::size_t memory() const;

  struct Engine;  // one subclass for each coding

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace portail
