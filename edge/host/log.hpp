// A component's log: one JSON object a line on standard error, which hosts collect. Never fails.
#pragma once

#include <string_view>

#include "core/base/context.hpp"
#include "core/base/time.hpp"
#include "edge/host/standard_error.hpp"

namespace portail::edge {

class StandardErrorLog final : public Log {
 public:
  // `clock` outlives the log.
  explicit StandardErrorLog(const Clock& clock) : clock_(clock) {}
  void warn(std::string_view event, std::string_view detail) override;
  void record(std::string_view members) override;

 private:
  const Clock& clock_;
  StandardError standard_error_;
};

}  // namespace portail::edge
