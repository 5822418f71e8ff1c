#include "wasm/module/system.hpp"

#include "wasm/abi/portail.h"
#include "wasm/module/encoding.hpp"

namespace portail::wasm {

Instant HostClock::now() const { return {portail_now()}; }

void HostRandom::fill(std::span<std::byte> bytes) {
  portail_random(reinterpret_cast<std::uint8_t*>(bytes.data()), static_cast<std::uint32_t>(bytes.size()));
}

void HostLog::warn(std::string_view event, std::string_view detail) {
  portail_log(store_, bytes_of(event), size_of(event), bytes_of(detail), size_of(detail));
}

}  // namespace portail::wasm
