// A source of bytes that the consumer pulls chunk by chunk: a request's body, or an answer too long for memory. One
// thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"

namespace portail {

class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  // Returns the next chunk, never empty, valid until the next call; nullopt at the end, and for each later call. A
  // failure ends the source: the body is incomplete, and the host must abort the connection.
  virtual Task<std::optional<std::string_view>> next(Context& context) = 0;
  // Returns the approximate bytes of memory that the source keeps between two chunks.
  [[nodiscard]] virtual std::size_t occupied() const { return 0; }
};

}  // namespace portail
