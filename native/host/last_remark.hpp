// Keeps the last warning of the core and the stores until the caller can put it into a message of its own. One thread.
#pragma once

#include <string>
#include <string_view>

#include "core/base/context.hpp"

namespace portail {

class LastRemark final : public Log {
 public:
  void warn(std::string_view event, std::string_view detail) override;
  // `otherwise` where nothing was said.
  [[nodiscard]] std::string text_or(std::string_view otherwise) const;

 private:
  std::string text_;
};

}  // namespace portail
