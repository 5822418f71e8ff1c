// Numbers as BearSSL takes them: its structures hold pointers to bytes that it only reads, without saying so. Valid as
// long as the bytes.
#pragma once

#include <cstddef>
#include <vector>

namespace portail {

inline unsigned char* octets(const std::vector<std::byte>& bytes) {
  return const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
}

}  // namespace portail
