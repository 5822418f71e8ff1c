// Writes JSON as answers are (docs/reference/contract.md, "Answers: JSON text"): no white space, UTF-8 as it is.
// Everything is appended to a string that the caller owns and reuses. Any thread, one at a time for each writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portail {

// Appends `utf8` as a JSON string, quotes included. Only `"`, `\` and controls (U+0000 to U+001F) are escaped: \b \f \n
// \r \t, and \u00xx in lower case for the others. Valid UTF-8 in, valid UTF-8 out: nothing is checked.
void append_json_string(std::string& out, std::string_view utf8);

// Appends the decimal digits of `value`.
void append_json_integer(std::string& out, std::int64_t value);

// Objects and arrays with their commas. What is nested where is the caller's business: names only in objects, each
// followed by one value, every begin with its end. Not even a mistake is undefined: it makes malformed JSON.
//
//   JsonWriter(out).begin_object().name("id").integer(42).name("motif").null().end_object();
class JsonWriter {
 public:
  // `out` outlives the writer; what it holds already stays before what is written.
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }

  // `escaped` is what stands between the quotes, already escaped: in practice a constant.
  JsonWriter& name(std::string_view escaped) {
    comma();
    out_ += '"';
    out_ += escaped;
    out_ += "\":";
    comma_is_due_ = false;
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
  // One JSON value that is written already: a decimal, a stored fragment.
  JsonWriter& raw(std::string_view value) {
    comma();
    out_ += value;
    return *this;
  }
  // null, or the string.
  template <class OptionalString>
  JsonWriter& string_or_null(const OptionalString& value) {
    return value ? string(*value) : null();
  }

 private:
  JsonWriter& begin(char bracket) {
    comma();
    out_ += bracket;
    comma_is_due_ = false;
    return *this;
  }
  JsonWriter& end(char bracket) {
    out_ += bracket;
    comma_is_due_ = true;
    return *this;
  }
  void comma() {
    if (comma_is_due_) out_ += ',';
    comma_is_due_ = true;
  }

  std::string& out_;
  bool comma_is_due_ = false;
};

}  // namespace portail
