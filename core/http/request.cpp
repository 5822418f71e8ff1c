#include "core/http/request.hpp"

#include <algorithm>

#include "core/base/text.hpp"

namespace portail {

std::optional<std::string_view> find_header(const Request& request, std::string_view name) {
  for (const HeaderView& header : request.headers) {
    if (equals_ignoring_case(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::size_t count_headers(const Request& request, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      request.headers, [&](const HeaderView& header) { return equals_ignoring_case(header.name, name); }));
}

}  // namespace portail
