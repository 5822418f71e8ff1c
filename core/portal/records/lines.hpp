// The lines and fields of stored values, and the strings in them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"

namespace portail {

// Stored values are lines of fields: a tab separates fields, a newline ends lines. A string is stored as the JSON
// string that is sent, quotes included, so it contains neither. A reader ignores further fields of a line, which a
// later version wrote. Any thread; views into the stored value.

// Splits `text` at each `separator`. A trailing separator is optional.
class Splitter {
 public:
  Splitter(std::string_view text, char separator) : rest_(text), separator_(separator), ended_(text.empty()) {}

  // Returns the next part, or nullopt at the end.
  std::optional<std::string_view> next() {
    if (ended_) return std::nullopt;
    return advance();
  }
  // Returns the next part, empty at the end.
  std::string_view next_or_empty() { return advance(); }
  // Returns what is not split yet.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view advance() {
    const std::size_t end = rest_.find(separator_);
    const std::string_view part = rest_.substr(0, end);
    ended_ = end == std::string_view::npos;
    rest_.remove_prefix(ended_ ? rest_.size() : end + 1);
    return part;
  }

  std::string_view rest_;
  char separator_;
  bool ended_;
};

// Lines without their newline. A last empty line is omitted.
class Lines : public Splitter {
 public:
  explicit Lines(std::string_view text)
      : Splitter(text.ends_with('\n') ? text.substr(0, text.size() - 1) : text, '\n') {}
};

class Fields : public Splitter {
 public:
  explicit Fields(std::string_view line) : Splitter(line, '\t') {}
};

// Parses decimal digits; leading zeros are allowed, other characters are not.
inline std::optional<std::uint64_t> parse_count(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  return value;
}

// Converts between text and the JSON strings of stored values, as core/json/writer.hpp writes them. Any thread.

inline std::string stored_string(std::string_view utf8) {
  std::string result;
  append_json_string(result, utf8);
  return result;
}

// Returns the text of a JSON string that append_json_string wrote.
std::string unquoted(std::string_view stored);

}  // namespace portail
