// Takes an import document apart: bytes in, in chunks of any size; the elements of its sections out, one at a time,
// each parsed. It holds one element at most. That the document is JSON is fully checked; what an element says is not
// looked at. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/exchange/document/faults.hpp"
#include "core/json/reader.hpp"

namespace portail {

enum class Section : std::uint8_t { mail_objects, third_parties, bundles, grants };

inline constexpr std::array<std::string_view, 4> section_names{"objetsCourrier", "tiers", "liasses", "droits"};
constexpr std::string_view name_of(Section section) { return section_names[static_cast<std::size_t>(section)]; }

inline constexpr std::size_t largest_element = std::size_t{4} * 1024 * 1024;  // bytes

struct Element {
  Section section{};
  std::uint64_t index = 0;  // in its section, from 0
  std::string_view text;    // one JSON value, without white space around it
  JsonValue root;

  [[nodiscard]] Place place() const { return {nullptr, name_of(section), index}; }
};

class ElementReader {
 public:
  // What goes wrong is added to `faults`, which must outlive the reader.
  explicit ElementReader(Faults& faults) : faults_(faults) {}

  enum class Step : std::uint8_t {
    element,     // element() is the next one
    more_bytes,  // the chunk is used up: feed another one, or finish
    end,         // the document was whole
    fault,       // it was none; nothing more can be read
  };
  // Goes on to the next element. One that is no good JSON is a fault, and passed over where it is clear where it ends.
  Step next();
  // Valid until the following next().
  [[nodiscard]] const Element& element() const { return element_; }

  // The next bytes; only at the start and after Step::more_bytes. They must live until they are used up.
  void feed(std::string_view chunk);
  // No bytes follow.
  void finish() { finished_ = true; }

  [[nodiscard]] bool has_seen(Section section) const { return seen_[static_cast<std::size_t>(section)]; }

 private:
  enum class State : std::uint8_t {
    before_document,
    first_name,  // a section's name, or the end of the document
    next_name,
    in_name,
    colon,
    before_array,
    first_element,  // an element, or the end of the section
    next_element,
    in_element,
    after_element,
    after_section,
    after_document,
    failed,
  };

  // Each takes what stands at position_; false: something is wrong, and said.
  bool take_punctuation(char c);
  bool take_name();
  bool take_element();
  bool parse_element();
  bool open_section();
  [[nodiscard]] std::size_t end_of_value();
  bool fail(std::string_view message);
  bool fail_element(std::string_view message);
  [[nodiscard]] std::uint64_t lines_in_chunk() const;
  // " (line 12)", the line that the reader has reached, or one that came before it.
  [[nodiscard]] std::string at_line(std::uint64_t lines_before = 0) const;

  Faults& faults_;
  State state_ = State::before_document;
  bool finished_ = false;
  bool element_is_whole_ = false;
  Element element_;
  std::optional<JsonDocument> parsed_;
  std::array<bool, section_names.size()> seen_{};

  std::string_view chunk_;
  std::size_t position_ = 0;
  std::uint64_t lines_before_chunk_ = 0;

  std::string text_;  // of the name or the element so far
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace portail
