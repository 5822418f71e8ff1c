#include "core/http/media_type.hpp"

#include "core/base/text.hpp"
#include "core/http/list_header.hpp"

namespace portail {
namespace {

bool is_json(std::string_view type, std::string_view subtype) {
  if (equals_ignoring_case(type, "text")) return equals_ignoring_case(subtype, "json");
  if (!equals_ignoring_case(type, "application")) return false;
  constexpr std::string_view suffix = "+json";
  return equals_ignoring_case(subtype, "json") ||
         (subtype.size() > suffix.size() &&
          equals_ignoring_case(subtype.substr(subtype.size() - suffix.size()), suffix));
}

// A name of UTF-8: the registered one, or the one that PHP, Python and MySQL use as well.
bool is_utf8(std::string_view charset) {
  return equals_ignoring_case(charset, "utf-8") || equals_ignoring_case(charset, "utf8");
}

// Parameters, of which a charset must be UTF-8 (RFC 9110 section 5.6.6); an empty one is allowed.
bool parameters_fit(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view text = take_item(parameters, ';');
    if (text.empty()) continue;
    const std::string_view name = take_until(text, '=');
    const auto value = parameter_value(text);
    if (!is_token(name) || !value || value->empty()) return false;
    if (equals_ignoring_case(name, "charset") && !is_utf8(*value)) return false;
  }
  return true;
}

}  // namespace

bool has_json_content_type(const Request& request) {
  if (count_headers(request, "Content-Type") != 1) return false;
  std::string_view parameters = *find_header(request, "Content-Type");
  std::string_view subtype = take_item(parameters, ';');
  const std::string_view type = take_until(subtype, '/');
  return is_token(subtype) && is_json(type, subtype) && parameters_fit(parameters);
}

bool is_content_coded(const Request& request) {
  bool is_coded = false;
  for_each_member(request.headers, "Content-Encoding", [&is_coded](std::string_view coding) {
    is_coded = is_coded || (!coding.empty() && !equals_ignoring_case(coding, "identity"));
  });
  return is_coded;
}

}  // namespace portail
