// A store that is not opened before its layout is known to be this program's, for hosts that have no start of their own
// to look at it: a request is refused with 503, and nothing of another layout is read or written. Threads as the
// target.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "core/storage/format.hpp"
#include "core/storage/forwarding_store.hpp"

namespace portail {

// A store that nothing was imported into: its name may be a slip, or its volume may be missing.
enum class EmptyStore : std::uint8_t { opened, refused };

class CheckedStore final : public ForwardingStore {
 public:
  // `target` outlives this.
  explicit CheckedStore(KeyValueStore& target, EmptyStore empty = EmptyStore::opened)
      : ForwardingStore(target), empty_(empty) {}

  // Reads `format` first, until it was found to be current: one more batch for the first request of a process. What is
  // refused is Failure::unavailable, and one line in the log. A writer opens a session before it writes.
  Task<std::unique_ptr<Session>> open(Context& context) override;

 private:
  [[nodiscard]] bool is_refused(FormatState format) const;

  const EmptyStore empty_;
  std::atomic<std::optional<FormatState>> last_;  // nothing: not checked yet
};

}  // namespace portail
