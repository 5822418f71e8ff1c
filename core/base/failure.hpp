// The failures that end a coroutine of the core: only those that a caller must distinguish. A client's error is not a
// failure but a Response. Values; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

namespace portail {

enum class Failure : std::uint8_t {
  unavailable,  // 503: the store is unavailable; the same call may succeed later
  corrupt,      // 500: the store returned bytes that this program never writes
  too_large,    // 500: a value or a key is over the store's limit; nothing was written
  cancelled,    // 503: the host cancelled the request, or its deadline passed
  // Of a request's body, the client's fault:
  body_incomplete,  // 400: it broke off
  body_late,        // 408: it did not arrive in time
};

// Returns the detail of a log line.
constexpr std::string_view describe(Failure failure) {
  switch (failure) {
    case Failure::unavailable:
      return "the store is unavailable";
    case Failure::corrupt:
      return "the store has an invalid value";
    case Failure::too_large:
      return "a value exceeds the store's limit";
    case Failure::cancelled:
      return "the request was cancelled, or its deadline expired";
    case Failure::body_incomplete:
      return "the body of the request is incomplete";
    case Failure::body_late:
      return "the body of the request did not arrive in time";
  }
  return "unknown";
}

template <class T>
using Result = std::expected<T, Failure>;

}  // namespace portail
