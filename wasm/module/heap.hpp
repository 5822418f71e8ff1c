// Counts the module's allocations, so that requests are refused before the memory is exhausted: that traps, and ends
// all requests.
#pragma once

#include <cstddef>

namespace portail::wasm {

// Returns the allocated bytes. The memory has at most 256 MiB.
std::size_t heap_in_use();

// If more is in use, no request begins.
inline constexpr std::size_t max_heap_for_requests = std::size_t{128} * 1024 * 1024;
// If more is in use, no request receives values of its store, or parts of its body.
inline constexpr std::size_t max_heap_for_values = std::size_t{224} * 1024 * 1024;

}  // namespace portail::wasm
