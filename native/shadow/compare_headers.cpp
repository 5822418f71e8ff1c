#include "native/shadow/compare_headers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/text.hpp"
#include "core/http/grammar.hpp"
#include "core/http/percent.hpp"
#include "native/shadow/rows.hpp"

namespace portail::shadow {
namespace {

enum class HeaderMeaning : std::uint8_t {
  presence,     // the value is opaque
  text,         // without regard to ASCII case
  list,         // names and directives without an order
  media_type,   // type and parameters
  challenge,    // scheme and error; the description is left open
  disposition,  // type and decoded file name
};

struct HeaderRule {
  std::string_view name;
  RowName row;
  HeaderMeaning meaning;
};

constexpr std::array header_rules{
    HeaderRule{"Content-Type", "Answers: content type", HeaderMeaning::media_type},
    HeaderRule{"Content-Disposition", "Answers: template file", HeaderMeaning::disposition},
    HeaderRule{"Content-Security-Policy", "Answers: template file", HeaderMeaning::text},
    HeaderRule{"ETag", "Answers: validators, ETag on every 200", HeaderMeaning::presence},
    HeaderRule{"Cache-Control", "Answers: caching", HeaderMeaning::list},
    HeaderRule{"Vary", "Answers: caching, Vary", HeaderMeaning::list},
    HeaderRule{"X-Content-Type-Options", "Answers: always, nosniff", HeaderMeaning::text},
    HeaderRule{"X-Correlation-Id", "Answers: always, X-Correlation-Id", HeaderMeaning::presence},
    HeaderRule{"WWW-Authenticate", "Tokens: 401", HeaderMeaning::challenge},
    HeaderRule{"_AbpErrorFormat", "Errors: body and _AbpErrorFormat", HeaderMeaning::text},
    HeaderRule{"Allow", "Requests: methods, 405 and Allow", HeaderMeaning::list},
    HeaderRule{"Retry-After", "Errors: 503", HeaderMeaning::presence},
    HeaderRule{"Content-Language", "Errors: language", HeaderMeaning::list}};
constexpr RowName file_row = "Answers: template file";

// The name of a parameter, in lower case, and its value without quotes.
struct Parameter {
  std::string name;
  std::string value;
};

Parameter parse_parameter(std::string_view item) {
  const std::string_view name = take_until(item, '=');
  return {lower_case(trimmed(name)), parameter_value(trimmed(item)).value_or(std::string(trimmed(item)))};
}

// Calls visit(item) for each item that is not empty.
template <class Visit>
void for_each_item(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    if (const std::string_view item = take_item(text, separator); !item.empty()) visit(item);
  }
}

std::string joined(const std::set<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += item + '\n';
  return text;
}

std::string list_identity(std::string_view text) {
  std::set<std::string> items;
  for_each_item(text, ',', [&items](std::string_view item) { items.insert(lower_case(item)); });
  return joined(items);
}

std::string media_type_identity(std::string_view text) {
  const std::string type = lower_case(take_item(text, ';'));
  std::set<std::string> parameters;
  for_each_item(text, ';', [&parameters](std::string_view item) {
    const Parameter parameter = parse_parameter(item);
    parameters.insert(parameter.name + '=' + lower_case(parameter.value));
  });
  return type + '\n' + joined(parameters);
}

std::string challenge_identity(std::string_view text) {
  std::string identity = lower_case(take_until(text, ' '));
  for_each_item(text, ',', [&identity](std::string_view item) {
    const Parameter parameter = parse_parameter(item);
    if (parameter.name == "error") identity += " error=" + parameter.value;
  });
  return identity;
}

std::string percent_decoded_text(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = percent_decoded(text, i);
    decoded += byte.value_or(text[i]);
    if (byte) i += 2;
  }
  return decoded;
}

// Of two file names, the one with an encoding precedes (RFC 6266 section 4.3).
std::string disposition_identity(std::string_view text) {
  const std::string type = lower_case(take_item(text, ';'));
  std::string name;
  std::optional<std::string> encoded;
  for_each_item(text, ';', [&](std::string_view item) {
    const Parameter parameter = parse_parameter(item);
    if (parameter.name == "filename") name = parameter.value;
    if (parameter.name == "filename*")
      encoded = percent_decoded_text(std::string_view(parameter.value).substr(parameter.value.rfind('\'') + 1));
  });
  return type + '\n' + encoded.value_or(name);
}

std::string header_identity(HeaderMeaning meaning, std::string_view value) {
  switch (meaning) {
    case HeaderMeaning::presence:
      return {};
    case HeaderMeaning::text:
      return lower_case(trimmed(value));
    case HeaderMeaning::list:
      return list_identity(value);
    case HeaderMeaning::media_type:
      return media_type_identity(value);
    case HeaderMeaning::challenge:
      return challenge_identity(value);
    case HeaderMeaning::disposition:
      return disposition_identity(value);
  }
  return std::string(value);
}

// The lines of a repeated header are one list (RFC 9110 section 5.3).
std::optional<std::string> combined_header(const Headers& headers, std::string_view name) {
  std::optional<std::string> combined;
  for (const auto& [each, value] : headers) {
    if (!equals_ignoring_case(each, name)) continue;
    combined = combined ? *combined + ", " + value : value;
  }
  return combined;
}

ShownValue shown_header(const std::optional<std::string>& value) {
  return value ? shown_text(*value) : shown_absence();
}

}  // namespace

void compare_headers(const Headers& portal, const Headers& upstream, bool is_file, Differences& found) {
  for (const HeaderRule& rule : header_rules) {
    const auto ours = combined_header(portal, rule.name);
    const auto theirs = combined_header(upstream, rule.name);
    if (!ours && !theirs) continue;
    if (ours && theirs && header_identity(rule.meaning, *ours) == header_identity(rule.meaning, *theirs)) continue;
    found.push_back({.row = is_file && rule.meaning == HeaderMeaning::media_type ? file_row : rule.row,
                     .location = "header " + std::string(rule.name),
                     .portal = shown_header(ours),
                     .upstream = shown_header(theirs)});
  }
}

}  // namespace portail::shadow
