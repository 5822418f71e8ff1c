// Converts numbers for BearSSL, whose structures have non-const pointers to bytes that it only reads. Valid as long as
// the bytes.
#pragma once

#include <cstddef>
#include <vector>

namespace portail {

inline unsigned char* octets(const std::vector<std::byte>& bytes) {
  return const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
}

}  // namespace portail
