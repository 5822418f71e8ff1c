// Whether the files of a store that is being served are still those at its path. Not for several threads at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"

namespace portail {

// Writes the line of the log for a call that is refused since the files were replaced, moved away or cut off.
inline void log_replaced(Context& context, std::string_view why) {
  context.log.warn("store: its files were replaced, it is not served any more", why);
}

class ReplacementCheck {
 public:
  // Returns what `check` returned last: why the files were replaced, nullopt if they were not. `check` is called at
  // most once a second by the context's clock. The reference is valid until the next call.
  template <typename Check>
  const std::optional<std::string>& fault(const Context& context, Check check) {
    const std::int64_t now = context.clock.now().seconds();
    if (now != checked_at_) {
      checked_at_ = now;
      fault_ = check();
    }
    return fault_;
  }

 private:
  std::int64_t checked_at_ = 0;  // seconds
  std::optional<std::string> fault_;
};

}  // namespace portail
