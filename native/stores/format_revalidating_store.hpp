// A store that is served only while this program can read its layout. Each session reads `format` with its first batch,
// or with each one if the store has no snapshots, so a store that was migrated to a newer layout or emptied meanwhile
// is refused: none of its values is misread, and no client gets an empty list for lost data. A request that writes must
// read first. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>

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

  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  // Returns whether the last write succeeded; true before the first one.
  [[nodiscard]] bool accepts_writes() const { return accepts_writes_; }
  void set_accepts_writes(bool accepts) { accepts_writes_ = accepts; }  // by a trial write

  // For the sessions: returns whether a store in that state may be served. Logs a refusal or a later minor version, at
  // most once a minute.
  bool accepts(Context& context, FormatState found);

 private:
  std::atomic<bool> had_portal_;
  std::atomic<bool> accepts_writes_ = true;
  std::mutex log_mutex_;
  CauseThrottle log_throttle_;
};

}  // namespace portail
