#include "core/guest/answer_framing.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "core/base/text.hpp"

namespace portail {

bool has_body(const Response& response, std::string_view method) {
  if (method == "HEAD" || never_has_body(response.status)) return false;
  const auto* whole = std::get_if<std::string>(&response.body);
  return !whole || !whole->empty();
}

bool belongs_to_host(std::string_view header) {
  constexpr std::array<std::string_view, 10> names{"Connection",        "Content-Length",   "Host", "HTTP2-Settings",
                                                   "Keep-Alive",        "Proxy-Connection", "TE",   "Trailer",
                                                   "Transfer-Encoding", "Upgrade"};
  return std::ranges::any_of(names, [&](std::string_view name) { return equals_ignoring_case(name, header); });
}

std::optional<std::string> content_length(const Response& response) {
  const auto* whole = std::get_if<std::string>(&response.body);
  if (!whole || never_has_body(response.status)) return std::nullopt;
  return std::to_string(whole->size());
}

Response failed_answer() {
  Response response;
  response.status = 500;
  return response;
}

}  // namespace portail
