// Reads JSON that came from outside (RFC 8259), all of it checked before any of it is used. Any thread; a document
// belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>

#include "core/json/value.hpp"

namespace simdjson::dom {
class parser;  // NOLINT(readability-identifier-naming): the library's
}

namespace portail {

struct JsonLimits {
  // How many arrays and objects may stand in one another; the outermost is the first.
  int deepest = 64;
  // Refuse an object, at any depth, in which two names are the same after unescaping.
  bool unique_names = false;
  // In bytes.
  std::size_t largest = std::size_t{16} * 1024 * 1024;
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
};

// What is wrong, in English: "not valid UTF-8".
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
  }
  return "malformed JSON";
}

// A document that was read; it owns what its values and their strings refer to, also after it was moved.
class JsonDocument {
 public:
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;

  // Valid as long as the document.
  [[nodiscard]] JsonValue root() const;

 private:
  friend std::expected<JsonDocument, JsonFault> parse_json(std::string_view text, const JsonLimits& limits);
  explicit JsonDocument(std::unique_ptr<simdjson::dom::parser> parser);
  std::unique_ptr<simdjson::dom::parser> parser_;
};

// One JSON value and nothing but white space around it. `text` may go once this has returned. An integer beyond 64 bits
// reads as a double near it; who needs its digits, or a decimal's, takes them from the text (raw_json.hpp).
std::expected<JsonDocument, JsonFault> parse_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace portail
