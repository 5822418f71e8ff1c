// What every target shares. A target is one function that takes any bytes and looks at what the project makes of them:
// libFuzzer calls it, and a sanitizer or a failed check ends the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// The oracle: what must hold whatever came in.
inline void check(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

// Defined by each target.
void look_at(std::string_view input);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  look_at({reinterpret_cast<const char*>(data), size});
  return 0;
}
