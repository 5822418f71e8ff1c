// The exports of every module: its version, and the buffers of its input (wasm/abi/portail.h).
#include "wasm/abi/portail.h"
#include "wasm/module/buffer.hpp"

using namespace portail::wasm;  // NOLINT(google-build-using-namespace): the exports have no namespace

std::uint32_t portail_abi_version() { return PORTAIL_ABI_VERSION; }

std::uint8_t* portail_allocate(std::uint32_t size) { return allocate_buffer(size); }
void portail_release(std::uint8_t* buffer) { release_buffer(buffer); }
