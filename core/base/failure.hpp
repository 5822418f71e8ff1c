// The failures that end a coroutine of the core. What a caller must distinguish and nothing else: what the client did
// wrong is never a failure but a Response. Values; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

namespace portail {

enum class Failure : std::uint8_t {
  unavailable,  // the store cannot answer now; the same call may succeed later: 503
  corrupt,      // the store answered with bytes that this program never writes: 500
  too_large,    // a value or a key is over the store's limit; nothing was written: 500
  cancelled,    // the host gave the request up, or its deadline passed: 503
};

// For a log line.
constexpr std::string_view describe(Failure failure) {
  switch (failure) {
    case Failure::unavailable:
      return "the store cannot answer now";
    case Failure::corrupt:
      return "the store holds a value that this program never writes";
    case Failure::too_large:
      return "a value is over the store's limit";
    case Failure::cancelled:
      return "the request was given up, or its deadline passed";
  }
  return "unknown";
}

template <class T>
using Result = std::expected<T, Failure>;

}  // namespace portail
