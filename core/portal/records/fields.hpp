// The stored values are lines of fields: fields are parted by a tab, lines ended by a newline. A string is stored as
// the JSON string it is sent as, quotes included, so it can hold neither. Any thread; views into the stored value.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace portail {

// Takes `text` apart at each `separator`; the last part needs none after it.
class Splitter {
 public:
  Splitter(std::string_view text, char separator) : rest_(text), separator_(separator), ended_(text.empty()) {}

  // The next part, or nullopt at the end.
  std::optional<std::string_view> next() {
    if (ended_) return std::nullopt;
    return take();
  }
  // The next part, empty at the end.
  std::string_view next_or_empty() { return take(); }

 private:
  std::string_view take() {
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

// Lines without their newline; a last empty line is none.
class Lines : public Splitter {
 public:
  explicit Lines(std::string_view text)
      : Splitter(text.ends_with('\n') ? text.substr(0, text.size() - 1) : text, '\n') {}
};

class Fields : public Splitter {
 public:
  explicit Fields(std::string_view line) : Splitter(line, '\t') {}
};

// Canonical or not, decimal digits only and all of them.
inline std::optional<std::uint64_t> parse_count(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  return value;
}

}  // namespace portail
