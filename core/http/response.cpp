#include "core/http/response.hpp"

#include <algorithm>
#include <utility>

namespace portail {

std::optional<std::uint64_t> body_length(const Response& response) {
  if (const auto* whole = std::get_if<std::string>(&response.body)) return whole->size();
  return response.streamed_length;
}

const HeaderField* find_header(const Response& response, std::string_view name) {
  const auto found = std::ranges::find(response.headers, name, &HeaderField::name);
  return found == response.headers.end() ? nullptr : &*found;
}

HeaderField* find_header(Response& response, std::string_view name) {
  return const_cast<HeaderField*>(find_header(std::as_const(response), name));
}

}  // namespace portail
