#include "native/system/system.hpp"

#include <sodium.h>

namespace portail {

void SystemRandom::fill(std::span<std::byte> bytes) { randombytes_buf(bytes.data(), bytes.size()); }

}  // namespace portail
