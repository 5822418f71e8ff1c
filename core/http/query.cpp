#include "core/http/query.hpp"

#include <charconv>
#include <system_error>

#include "core/base/text.hpp"
#include "core/http/percent.hpp"

namespace portail {
namespace {

constexpr std::string_view white_space = " \t\n\v\f\r";

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (const auto byte = percent_decoded(text, i)) {
      out += *byte;
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::optional<QueryParameter> next_parameter(std::string_view& query) {
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    if (value.empty()) continue;
    const std::string_view name = take_until(value, '=');
    return QueryParameter{.name = decoded(name), .value = decoded(value)};
  }
  return std::nullopt;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    const std::string_view escaped_name = take_until(value, '=');
    if (equals_ignoring_case(decoded(escaped_name), name)) return decoded(value);
  }
  return std::nullopt;
}

std::expected<std::optional<std::int32_t>, NotAnInteger> int32_parameter(std::string_view query,
                                                                         std::string_view name) {
  const auto value = query_value(query, name);
  if (!value) return std::nullopt;
  std::string_view digits = trimmed(*value, white_space);
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);  // from_chars takes `-` only
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::unexpected(NotAnInteger());
  return number;
}

std::optional<bool> boolean_parameter(std::string_view query, std::string_view name, bool default_value) {
  const auto given = query_value(query, name);
  const std::string_view value = given ? trimmed(*given, white_space) : "";
  if (value.empty()) return default_value;
  if (equals_ignoring_case(value, "true")) return true;
  if (equals_ignoring_case(value, "false")) return false;
  return std::nullopt;
}

}  // namespace portail
