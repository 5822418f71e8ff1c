// How much of the module's memory is in use, so that requests are refused before it runs out: a trap ends them all.
#pragma once

#include <cstddef>

namespace portail::wasm {

// Bytes, of 256 MiB at most.
std::size_t heap_in_use();

// Beyond this no request begins,
inline constexpr std::size_t full_for_requests = std::size_t{128} * 1024 * 1024;
// and beyond this no request is given values of its store any more.
inline constexpr std::size_t full_for_values = std::size_t{224} * 1024 * 1024;

}  // namespace portail::wasm
