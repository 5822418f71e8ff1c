// Writes the JSON of answers (docs/reference/contract.md, "Answers: JSON text"): without white space, UTF-8 unescaped.
// All output is appended to a string of the caller. Any thread, one at a time for each writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace portail {

// Appends `utf8` as a JSON string, quotes included. Only `"`, `\` and controls (U+0000 to U+001F) are escaped: \b \f \n
// \r \t, and \u00xx in lower case for the others. `utf8` must be valid; this is not checked.
void append_json_string(std::string& out, std::string_view utf8);
[[nodiscard]] std::string json_string(std::string_view utf8);

// Appends the decimal digits of `value`.
void append_json_integer(std::string& out, std::int64_t value);

// Writes objects and arrays with their commas. The caller is responsible for the nesting: names in objects only, each
// followed by one value, and an end for each begin. A wrong order of calls writes malformed JSON; it is not undefined
// behaviour.
//
//   JsonWriter(out).begin_object().name("id").integer(42).name("motif").null().end_object();
class JsonWriter {
 public:
  // Appends to `out`, which must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }

  // `escaped` is the escaped name without quotes: in practice a constant.
  JsonWriter& name(std::string_view escaped) {
    comma();
    out_ += '"';
    out_ += escaped;
    out_ += "\":";
    needs_comma_ = false;
    return *this;
  }

  JsonWriter& string(std::string_view utf8) {
    comma();
    append_json_string(out_, utf8);
    return *this;
  }
  JsonWriter& integer(std::int64_t value) {
    comma();
    append_json_integer(out_, value);
    return *this;
  }
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }
  // Appends the text of one JSON value: a decimal, a stored fragment.
  JsonWriter& raw(std::string_view value) {
    comma();
    out_ += value;
    return *this;
  }
  // Appends the string, or null if `value` is empty.
  template <class OptionalString>
  JsonWriter& string_or_null(const OptionalString& value) {
    return value ? string(*value) : null();
  }

 private:
  JsonWriter& begin(char bracket) {
    comma();
    out_ += bracket;
    needs_comma_ = false;
    return *this;
  }
  JsonWriter& end(char bracket) {
    out_ += bracket;
    needs_comma_ = true;
    return *this;
  }
  void comma() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
  }

  std::string& out_;
  bool needs_comma_ = false;
};

// The lines of a log: JSON objects without line breaks. Pure functions; any thread.

// Returns {"time":"…","level":"…"…}. `members` are JSON members, each after a comma; characters of them that are not
// printable are escaped.
[[nodiscard]] std::string log_line(Instant time, std::string_view level, std::string_view members);

// Appends `value` as a JSON string; in invalid UTF-8 each byte outside ASCII becomes '?'.
void append_log_string(std::string& out, std::string_view value);

}  // namespace portail
