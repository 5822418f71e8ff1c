// Why an import got no document. Plain values.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace portail {

enum class SyncFaultKind : std::uint8_t {
  unavailable,  // the source is missing, does not answer, or was cut off: a later run may succeed
  refused,      // the operator must act
};

struct SyncFault {
  SyncFaultKind kind;
  std::string message;  // one line, with the source's name
};

inline std::unexpected<SyncFault> source_unavailable(std::string message) {
  return std::unexpected(SyncFault{SyncFaultKind::unavailable, std::move(message)});
}
inline std::unexpected<SyncFault> source_refused(std::string message) {
  return std::unexpected(SyncFault{SyncFaultKind::refused, std::move(message)});
}

}  // namespace portail
