// Checks whether the files of a store that is served are still those at its path. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"

namespace portail {

// Logs that a call is refused because the files were replaced, moved away or truncated.
inline void log_replaced(Context& context, std::string_view why) {
  context.log.warn("store: its files were replaced; it is no longer served", why);
}

class ReplacementCheck {
 public:
  // Returns the last result of `check`: why the files were replaced, or nullopt. Calls `check` at most once a second,
  // by the context's clock. The reference is valid until the next call.
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
