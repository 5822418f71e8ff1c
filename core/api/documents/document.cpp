#include <cstdlib>

#include <zlib.h>

#include "core/api/documents/documents.hpp"

namespace portail {

std::string Document::text() const {
  std::string text(size_, '\0');
  z_stream stream{};
  // zlib does not write to next_in, but its type is not const.
  stream.next_in = const_cast<Bytef*>(deflated_.data());
  stream.avail_in = static_cast<uInt>(deflated_.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  constexpr int raw_deflate = -MAX_WBITS;
  const bool unpacked =
      inflateInit2(&stream, raw_deflate) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  // The compressed data are constant and valid, so only memory can be missing; the program ends.
  if (!unpacked) std::abort();
  return text;
}

}  // namespace portail
