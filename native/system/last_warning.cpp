#include "native/system/last_warning.hpp"

namespace portail {

void LastWarning::warn(std::string_view event, std::string_view detail) {
  text_.assign(event);
  if (!detail.empty()) text_.append(": ").append(detail);
}

std::string LastWarning::text_or(std::string_view otherwise) const {
  return text_.empty() ? std::string(otherwise) : text_;
}

}  // namespace portail
