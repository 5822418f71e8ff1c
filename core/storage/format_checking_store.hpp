// A store that checks the version of its target's layout before it opens a session, for hosts that cannot check it at
// startup. If this program cannot read the layout, or the store was emptied since the last check, requests get 503, and
// nothing is read or written. Threads: as the target.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/storage/format.hpp"
#include "core/storage/forwarding_store.hpp"

namespace portail {

// What to do with an empty store: its name may be misspelt, or its volume may be missing.
enum class EmptyStorePolicy : std::uint8_t { accept, refuse };

class FormatCheckingStore final : public ForwardingStore {
 public:
  // `target` must outlive this.
  explicit FormatCheckingStore(KeyValueStore& target, EmptyStorePolicy empty_policy = EmptyStorePolicy::accept)
      : ForwardingStore(target), empty_policy_(empty_policy) {}

  // Reads `format` first, until it was readable once: one more batch for the first request of a process. Later it is
  // read again after a batch without any value. If the store is refused, fails with Failure::unavailable and logs one
  // line; a later minor version is logged once. A writer must read before it writes.
  Task<std::unique_ptr<Session>> open(Context& context) override;

  // For the sessions: fails if the store is refused in that state.
  Result<void> check(Context& context, FormatState found);

 private:
  const EmptyStorePolicy empty_policy_;
  std::atomic<std::optional<FormatState>> last_state_;  // nullopt: not checked yet
  std::atomic<bool> had_portal_ = false;                // since the start
};

}  // namespace portail
