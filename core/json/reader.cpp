#include "core/json/reader.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/json/scan.hpp"
#include "core/json/simdjson_handle.hpp"

namespace portail {
namespace {

JsonFault fault_of(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return JsonFault::empty;
    case simdjson::UTF8_ERROR:
      return JsonFault::not_utf8;
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
      return JsonFault::bad_string;
    case simdjson::NUMBER_ERROR:
    case simdjson::BIGINT_ERROR:
      return JsonFault::bad_number;
    case simdjson::DEPTH_ERROR:
      return JsonFault::too_deep;
    case simdjson::CAPACITY:
      return JsonFault::too_large;
    case simdjson::MEMALLOC:
      return JsonFault::no_memory;
    default:
      return JsonFault::malformed;
  }
}

// Checks what simdjson does not: the depth of empty containers, and duplicate names. The recursion is bounded, since
// simdjson has checked the depth of all levels but the last.
std::optional<JsonFault> check(JsonValue value, int depth, const JsonLimits& limits) {
  if (const auto items = array_of(value)) {
    if (depth > limits.max_depth) return JsonFault::too_deep;
    for (const JsonValue item : *items) {
      if (const auto fault = check(item, depth + 1, limits)) return fault;
    }
  } else if (const auto members = object_of(value)) {
    if (depth > limits.max_depth) return JsonFault::too_deep;
    for (const auto& [name, member_value] : *members) {
      if (const auto fault = check(member_value, depth + 1, limits)) return fault;
    }
    if (limits.unique_names && repeated_name(*members)) return JsonFault::duplicate_name;
  }
  return std::nullopt;
}

// Returns the text with each long integer as a double: simdjson's DOM rejects documents with integers beyond 64 bits,
// and doubles out of range.
std::string with_long_integers_as_doubles(std::string_view text) {
  constexpr std::size_t max_fitting_digits = 18;  // any integer of so many digits fits in 64 bits
  constexpr std::size_t max_double_digits = 308;  // any integer of so many digits is in the range of a double
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    if (text[i] == '"') {
      i = json_scan::after_string(text, i);
    } else if (json_scan::is_number_part(text[i])) {
      i = json_scan::after_number(text, i);
      const std::string_view number = text.substr(start, i - start);
      const std::string_view sign = number.substr(0, number.starts_with('-') ? 1 : 0);
      const std::string_view digits = number.substr(sign.size());
      const bool is_long_integer =
          digits.size() > max_fitting_digits && !digits.starts_with('0') && std::ranges::all_of(digits, is_ascii_digit);
      const bool is_in_range = digits.size() <= max_double_digits;
      append_all(out, {sign, is_long_integer && !is_in_range ? "1.7976931348623157e308" : digits,
                       is_long_integer && is_in_range ? "e0" : ""});
      continue;
    } else {
      ++i;
    }
    out += text.substr(start, i - start);
  }
  return out;
}

simdjson::error_code parse(simdjson::dom::parser& parser, std::string_view text, int max_depth) {
  // simdjson rejects the containers that reach this depth, and does not count empty ones.
  const auto rejected_depth = static_cast<std::size_t>(max_depth) + 1;
  if (const auto error = parser.allocate(text.size(), rejected_depth)) return error;
  return parser.parse(text.data(), text.size()).error();
}

}  // namespace

JsonDocument::JsonDocument(std::unique_ptr<simdjson::dom::parser> parser) : parser_(std::move(parser)) {}
JsonDocument::~JsonDocument() = default;
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&&) noexcept = default;

JsonValue JsonDocument::root() const { return JsonValue(handle_of(parser_->doc.root())); }

std::expected<JsonDocument, JsonFault> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_size) return std::unexpected(JsonFault::too_large);
  if (text.starts_with("\xef\xbb\xbf")) return std::unexpected(JsonFault::byte_order_mark);  // simdjson skips it

  auto parser = std::make_unique<simdjson::dom::parser>();
  auto error = parse(*parser, text, limits.max_depth);
  // For integers of 20 digits that begin with 2 to 9 simdjson reports NUMBER_ERROR.
  if (error == simdjson::BIGINT_ERROR || error == simdjson::NUMBER_ERROR) {
    error = parse(*parser, with_long_integers_as_doubles(text), limits.max_depth);
  }
  if (error != simdjson::SUCCESS) return std::unexpected(fault_of(error));

  JsonDocument document(std::move(parser));
  if (const auto fault = check(document.root(), 1, limits)) return std::unexpected(*fault);
  return document;
}

std::optional<std::string_view> repeated_name(JsonObject object) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : object) names.push_back(name);
  std::ranges::sort(names);
  const auto repeated = std::ranges::adjacent_find(names);
  return repeated == names.end() ? std::nullopt : std::optional(*repeated);
}

}  // namespace portail
