// A store that is served only while this program can read its layout. Each session reads `format` with its first batch,
// so a store that was migrated to a newer layout meanwhile is refused, and none of its values is misread. A request
// that writes must read first. Any thread.
#pragma once

#include <memory>
#include <mutex>

#include "core/storage/format.hpp"
#include "core/storage/forwarding_store.hpp"
#include "native/system/log_throttle.hpp"

namespace portail {

class FormatRevalidatingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Task<std::unique_ptr<Session>> open(Context& context) override;

  // For the sessions: logs a refusal or a later minor version, at most once a minute.
  void log_state(Context& context, FormatState found);

 private:
  std::mutex log_mutex_;
  LogThrottle log_throttle_;
};

}  // namespace portail
