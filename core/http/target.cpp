#include "core/http/target.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "core/base/text.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/url.hpp"
#include "core/json/utf8.hpp"

namespace portail {

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (unreserved.contains(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += digits[byte >> 4U];
    encoded += digits[byte & 15U];
  }
  return encoded;
}

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

namespace {

constexpr bool is_bad_character(char c) { return c <= ' ' || c >= '\x7f' || c == '#'; }

// Decodes `segment` to `out`, which must have segment.size() bytes, and returns a view of the decoded bytes.
std::expected<std::string_view, TargetFault> decode(std::string_view segment, char* out) {
  char* end = out;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    char c = segment[i];
    if (c == '%') {
      const auto decoded = percent_decoded(segment, i);
      if (!decoded || *decoded == '/' || *decoded == '\0') return std::unexpected(TargetFault::bad_escape);
      c = *decoded;
      i += 2;
    }
    *end++ = c;
  }
  return std::string_view(out, end);
}

}  // namespace

std::optional<AbsoluteForm> split_absolute_form(std::string_view raw) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equals_ignoring_case(raw.substr(0, scheme.size()), scheme)) continue;
    const std::size_t end = std::min(raw.find_first_of("/?", scheme.size()), raw.size());
    const AbsoluteForm form{.authority = raw.substr(scheme.size(), end - scheme.size()), .rest = raw.substr(end)};
    const bool has_host = !form.authority.empty() && !form.authority.starts_with(':');
    return has_host && is_host_and_port(form.authority) ? std::optional(form) : std::nullopt;
  }
  return std::nullopt;
}

std::string_view raw_path(std::string_view raw) {
  const auto absolute = split_absolute_form(raw);
  const std::string_view path = without_query(absolute ? absolute->rest : raw);
  return absolute && path.empty() ? "/" : path;
}

std::expected<Target, TargetFault> Target::parse(std::string_view raw) {
  if (raw.size() > max_size) return std::unexpected(TargetFault::too_long);
  if (!raw.starts_with('/')) {
    const auto absolute = split_absolute_form(raw);
    if (!absolute) return std::unexpected(TargetFault::bad_form);
    raw = absolute->rest;
  }
  Target target;
  target.query_ = raw;
  std::string_view path = take_until(target.query_, '?');
  if (std::ranges::any_of(raw, [](char c) { return is_bad_character(c); }) || path.contains('\\')) {
    return std::unexpected(TargetFault::bad_character);
  }
  if (path.empty()) path = "/";
  target.path_ = path;
  path.remove_prefix(1);
  if (path.contains('%')) target.decoded_ = std::make_unique_for_overwrite<char[]>(path.size());
  char* out = target.decoded_.get();

  while (!path.empty()) {
    std::string_view segment = take_until(path, '/');
    if (segment.contains('%')) {
      const auto decoded = decode(segment, out);
      if (!decoded) return std::unexpected(decoded.error());
      if (!is_valid_utf8(*decoded)) return std::unexpected(TargetFault::not_utf8);
      segment = *decoded;
      out += segment.size();
    }
    if (segment == "." || segment == "..") return std::unexpected(TargetFault::dot_segment);
    if (target.count_ < max_segments) target.segments_[target.count_++] = segment;
  }
  return target;
}

}  // namespace portail
