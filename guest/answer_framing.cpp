#include "guest/answer_framing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <variant>

#include "core/base/text.hpp"

namespace portail {
namespace {

bool never_has_body(int status) { return status == 204 || status == 304 || status < 200; }

}  // namespace

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
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, whole->size()).ptr;
  return std::string(digits, end);
}

Response failed_answer() {
  Response response;
  response.status = 500;
  return response;
}

}  // namespace portail
