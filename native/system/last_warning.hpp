// A Log that keeps the last warning of the core and the stores, for an error message of the caller. One thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/context.hpp"

namespace portail {

class LastWarning final : public Log {
 public:
  void warn(std::string_view event, std::string_view detail) override;
  void record(std::string_view) override {}
  // The last warning, or `otherwise` if there was none.
  [[nodiscard]] std::string text_or(std::string_view otherwise) const;

 private:
  std::string text_;
};

}  // namespace portail
