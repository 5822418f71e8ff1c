#include "native/host/last_remark.hpp"

namespace portail {

void LastRemark::warn(std::string_view event, std::string_view detail) {
  text_.assign(event);
  if (!detail.empty()) text_.append(": ").append(detail);
}

std::string LastRemark::text_or(std::string_view otherwise) const {
  return text_.empty() ? std::string(otherwise) : text_;
}

}  // namespace portail
