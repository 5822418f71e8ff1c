#include "core/http/header_fields.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/base/text.hpp"

namespace portail {
namespace {

// Whether the text has the characters of a reg-name or address (RFC 3986 section 3.2.2); brackets for IPv6 only.
bool is_uri_host(std::string_view text) {
  if (text.starts_with('[')) {
    if (text.size() < 3 || !text.ends_with(']')) return false;
    return std::ranges::all_of(text.substr(1, text.size() - 2),
                               [](char c) { return hexadecimal_digit(c) || std::string_view(":.").contains(c); });
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_ascii_letter(c) || is_ascii_digit(c) || std::string_view("-._~!$&'()*+,;=").contains(c)) continue;
    if (c != '%' || i + 2 >= text.size() || !hexadecimal_digit(text[i + 1]) || !hexadecimal_digit(text[i + 2]))
      return false;
    i += 2;
  }
  return true;
}

}  // namespace

bool is_host_and_port(std::string_view text) {
  const std::size_t end = text.starts_with('[') ? text.find(']') : 0;
  const std::size_t colon = end == std::string_view::npos ? end : text.find(':', end);
  if (colon == std::string_view::npos) return is_uri_host(text);
  return is_uri_host(text.substr(0, colon)) && std::ranges::all_of(text.substr(colon + 1), is_ascii_digit);
}

std::optional<std::string> parameter_value(std::string_view text) {
  if (is_token(text)) return std::string(text);
  if (!text.starts_with('"')) return std::nullopt;
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1 == text.size() ? std::optional(value) : std::nullopt;
    if (text[i] == '\\' && ++i == text.size()) break;
    value += text[i];
  }
  return std::nullopt;
}

namespace {

// qvalue: 0 or 1, and up to three decimals.
std::optional<int> thousandths(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text.size() > 1 && text[1] != '.')) return std::nullopt;
  if (text[0] != '0' && text[0] != '1') return std::nullopt;
  int value = (text[0] - '0') * 1000;
  int digit_weight = 100;
  for (const char digit : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (!is_ascii_digit(digit)) return std::nullopt;
    value += (digit - '0') * digit_weight;
    digit_weight /= 10;
  }
  return value <= 1000 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<int> weight(std::string_view parameters) {
  if (parameters.empty()) return 1000;
  const std::string_view parameter = trimmed(parameters.substr(1));
  if (!equals_ignoring_case(parameter.substr(0, 2), "q=")) return std::nullopt;
  return thousandths(parameter.substr(2));
}

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

namespace {

struct Preference {
  int quality = -1;  // -1: not in the header
  std::size_t rank = 0;

  void raise(int to, std::size_t at) {
    if (to > quality) *this = {to, at};
  }
};

}  // namespace

Language preferred_language(const Request& request) {
  Preference english;
  Preference french;
  int others = 0;
  std::size_t rank = 0;
  for_each_preference(request, "Accept-Language", [&](std::string_view range, std::optional<int> weight) {
    const std::size_t at = rank++;
    if (!weight) return;
    const std::string_view primary = take_until(range, '-');
    if (equals_ignoring_case(primary, "fr")) french.raise(*weight, at);
    if (equals_ignoring_case(primary, "en")) english.raise(*weight, at);
    if (primary == "*") others = *weight;
  });
  if (english.quality < 0) english = {others, rank};
  if (french.quality < 0) french = {others, rank + 1};
  if (french.quality == english.quality) {
    return french.quality > 0 && french.rank < english.rank ? Language::french : Language::english;
  }
  return french.quality > english.quality ? Language::french : Language::english;
}

}  // namespace portail
