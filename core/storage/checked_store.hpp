// A store that is not opened before its layout is known to be this program's, for hosts that have no start of their own
// to look at it: a request is refused with 503, and nothing of another layout is read or written. Threads as the
// target.
#pragma once

#include <atomic>

#include "core/storage/format.hpp"
#include "core/storage/forwarding_store.hpp"

namespace portail {

class CheckedStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  // Reads `format` first, until it was found to be current: one more batch for the first request of a process. Another
  // layout is Failure::unavailable, and one line in the log; an empty store is opened. Whoever writes opens first.
  Task<std::unique_ptr<Session>> open(Context& context) override;

 private:
  std::atomic<FormatState> last_ = FormatState::absent;
};

}  // namespace portail
