// Parses and validates JSON from outside (RFC 8259), the whole text before any value is used. Any thread; a document
// belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string_view>

#include "core/json/value.hpp"

namespace simdjson::dom {
class parser;  // NOLINT(readability-identifier-naming): the library's
}

namespace portail {

struct JsonLimits {
  // The maximum nesting of arrays and objects; the outermost counts as 1.
  int max_depth = 64;
  // Reject an object, at any depth, with two names that are equal after unescaping.
  bool unique_names = false;
  // In bytes of the text.
  std::size_t max_size = std::size_t{16} * 1024 * 1024;
};

enum class JsonFault : std::uint8_t {
  malformed,
  empty,
  byte_order_mark,
  not_utf8,
  bad_string,
  bad_number,
  too_deep,
  duplicate_name,
  too_large,
  no_memory,
};

// Returns the fault in English: "not valid UTF-8".
constexpr std::string_view description(JsonFault fault) {
  switch (fault) {
    case JsonFault::malformed:
      return "malformed JSON";
    case JsonFault::empty:
      return "no JSON value";
    case JsonFault::byte_order_mark:
      return "a byte order mark before the JSON value";
    case JsonFault::not_utf8:
      return "not valid UTF-8";
    case JsonFault::bad_string:
      return "a JSON string with a raw control character, a bad escape or a lone surrogate";
    case JsonFault::bad_number:
      return "a malformed JSON number, or one out of range";
    case JsonFault::too_deep:
      return "JSON nested too deeply";
    case JsonFault::duplicate_name:
      return "a JSON object with the same name twice";
    case JsonFault::too_large:
      return "JSON text too large";
    case JsonFault::no_memory:
      return "JSON text too large for the memory that is left";
  }
  return "malformed JSON";
}

// A parsed document. It owns the memory of its values and strings, also after a move.
class JsonDocument {
 public:
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;

  // The result is valid as long as the document.
  [[nodiscard]] JsonValue root() const;

 private:
  friend std::expected<JsonDocument, JsonFault> parse_json(std::string_view text, const JsonLimits& limits);
  explicit JsonDocument(std::unique_ptr<simdjson::dom::parser> parser);
  std::unique_ptr<simdjson::dom::parser> parser_;
};

// Parses one JSON value, with optional white space around it. `text` is not needed after the call. If it has an integer
// beyond 64 bits, each integer of more than 18 digits becomes the nearest double, and of more than 308 digits the
// largest finite one of its sign. raw_json.hpp returns the digits of such integers and of decimals.
std::expected<JsonDocument, JsonFault> parse_json(std::string_view text, const JsonLimits& limits = {});

// Returns a name that two members of the object itself have, after unescaping, or nullopt.
[[nodiscard]] std::optional<std::string_view> repeated_name(JsonObject object);

}  // namespace portail
