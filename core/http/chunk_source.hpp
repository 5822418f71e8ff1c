// Bytes that are pulled, one chunk at a time: a request's body, or an answer too long to stand in memory.
// One thread at a time.
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
  // The next chunk, never empty, valid until the next call; nullopt at the end, and ever after. A failure ends the
  // source: what was sent so far is incomplete, and the host breaks the connection off.
  virtual Task<std::optional<std::string_view>> next(Context& context) = 0;
  // Bytes of memory that it keeps between two chunks, about.
  [[nodiscard]] virtual std::size_t occupied() const { return 0; }
};

}  // namespace portail
