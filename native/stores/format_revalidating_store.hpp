// A store that is served only while this program can read its layout. Each session reads `format` with its first batch,
// or with each one if the store has no snapshots, so a store that was migrated to a newer layout or emptied meanwhile is
// refused: none of its values is misread, and no client gets an empty list for lost data. A request that writes must
// read first. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "core/storage/format.hpp"
#include "core/storage/forwarding_store.hpp"
#include "native/system/log_throttle.hpp"

namespace portail {

class FormatRevalidatingStore final : public ForwardingStore {
 public:
  // `has_portal`: the store is not empty.
  FormatRevalidatingStore(KeyValueStore& target, bool has_portal) : ForwardingStore(target), had_portal_(has_portal) {}

  Task<std::unique_ptr<Session>> open(Context& context) override;

  // Returns whether the store had a portal when it was opened or read since. If so, it is refused while it is empty.
  [[nodiscard]] bool had_portal() const { return had_portal_; }

  // For the sessions: returns whether a store in that state may be served. Logs a refusal or a later minor version, at
  // most once a minute.
  bool accepts(Context& context, FormatState found);

 private:
  std::atomic<bool> had_portal_;
  std::mutex log_mutex_;
  LogThrottle log_throttle_;
};

}  // namespace portail
