#include "core/http/media_type.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/text.hpp"
#include "core/http/grammar.hpp"

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

// Takes the token that `rest` begins with; empty where there is none.
std::string_view take_token(std::string_view& rest) {
  std::size_t end = 0;
  while (end < rest.size() && is_token_character(rest[end])) ++end;
  const std::string_view token = rest.substr(0, end);
  rest.remove_prefix(end);
  return token;
}

// Takes the quoted string that `rest` begins with, unescaped; nullopt where it does not end.
std::optional<std::string> take_quoted(std::string_view& rest) {
  std::string text;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return text;
    }
    if (rest[i] == '\\' && ++i == rest.size()) break;
    text += rest[i];
  }
  return std::nullopt;
}

// `rest` is what follows the subtype: parameters, of which a charset must be utf-8 (RFC 9110 section 5.6.6).
bool parameters_fit(std::string_view rest) {
  for (;;) {
    rest = trimmed(rest);
    if (rest.empty()) return true;
    if (rest.front() != ';') return false;
    rest = trimmed(rest.substr(1));
    if (rest.empty() || rest.front() == ';') continue;  // an empty parameter is allowed
    const std::string_view name = take_token(rest);
    if (name.empty() || !rest.starts_with('=')) return false;
    rest.remove_prefix(1);
    const auto value = rest.starts_with('"') ? take_quoted(rest) : std::string(take_token(rest));
    if (!value || value->empty()) return false;
    if (equals_ignoring_case(name, "charset") && !equals_ignoring_case(*value, "utf-8")) return false;
  }
}

}  // namespace

bool has_json_content_type(const Request& request) {
  if (count_headers(request, "Content-Type") != 1) return false;
  std::string_view rest = *find_header(request, "Content-Type");
  const std::string_view type = take_token(rest);
  if (!rest.starts_with('/')) return false;
  rest.remove_prefix(1);
  const std::string_view subtype = take_token(rest);
  return is_json(type, subtype) && parameters_fit(rest);
}

bool is_content_coded(const Request& request) {
  for (const HeaderView& header : request.headers) {
    if (!equals_ignoring_case(header.name, "Content-Encoding")) continue;
    std::string_view codings = header.value;
    while (true) {
      const std::size_t comma = codings.find(',');
      const std::string_view coding = trimmed(codings.substr(0, comma));
      if (!coding.empty() && !equals_ignoring_case(coding, "identity")) return true;  // a list may have empty elements
      if (comma == std::string_view::npos) break;
      codings.remove_prefix(comma + 1);
    }
  }
  return false;
}

}  // namespace portail
