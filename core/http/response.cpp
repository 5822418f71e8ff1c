#include "core/http/response.hpp"

#include <algorithm>
#include <utility>

namespace portail {

const HeaderField* find_header(const Response& response, std::string_view name) {
  const auto found = std::ranges::find(response.headers, name, &HeaderField::name);
  return found == response.headers.end() ? nullptr : &*found;
}

HeaderField* find_header(Response& response, std::string_view name) {
  return const_cast<HeaderField*>(find_header(std::as_const(response), name));
}

}  // namespace portail
