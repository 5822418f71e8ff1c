// Splits an import document into the elements of its sections. Input: bytes in chunks of any size. Output: parsed
// elements, one at a time; at most one is in memory. The JSON syntax is checked completely, the content of elements is
// not. One thread at a time.
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

inline constexpr std::array all_sections{Section::mail_objects, Section::third_parties, Section::bundles,
                                         Section::grants};
inline constexpr std::array<std::string_view, all_sections.size()> section_names{"objetsCourrier", "tiers", "liasses",
                                                                                 "droits"};
constexpr std::string_view name_of(Section section) { return section_names[static_cast<std::size_t>(section)]; }

inline constexpr std::size_t max_element_size = std::size_t{4} * 1024 * 1024;  // bytes

struct Element {
  Section section{};
  std::uint64_t index = 0;  // in its section, from 0
  std::string_view text;    // one JSON value, without white space around it
  JsonValue root;

  [[nodiscard]] DocumentLocation location() const { return {nullptr, name_of(section), index}; }
};

class ElementReader {
 public:
  // Faults are added to `faults`, which must outlive the reader.
  explicit ElementReader(Faults& faults) : faults_(faults) {}

  enum class Step : std::uint8_t {
    element,     // element() is the next element
    more_bytes,  // the chunk is consumed: feed another one, or finish
    end,         // the document is complete
    fault,       // the document is invalid; reading ends
  };
  // Reads the next element. Invalid JSON is a fault; the element is skipped if its end is certain.
  Step next();
  // Valid until the next call of next().
  [[nodiscard]] const Element& element() const { return element_; }

  // Sets the next bytes. Call at the start and after Step::more_bytes only. The bytes must live until they are
  // consumed.
  void feed(std::string_view chunk);
  // Marks the end of the input.
  void finish() { finished_ = true; }

  [[nodiscard]] bool has_section(Section section) const { return section_seen_[static_cast<std::size_t>(section)]; }

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

  // Each reads at position_. Returns false after a fault, which is reported.
  bool read_punctuation(char c);
  bool read_name();
  bool read_element();
  bool parse_element();
  bool open_section();
  [[nodiscard]] std::size_t end_of_value();
  bool fail(std::string_view message);
  bool fail_element(std::string_view message);
  [[nodiscard]] std::uint64_t lines_in_chunk() const;
  // Returns " (line 12)": the current line, or one `lines_before` it.
  [[nodiscard]] std::string at_line(std::uint64_t lines_before = 0) const;

  Faults& faults_;
  State state_ = State::before_document;
  bool finished_ = false;
  bool element_is_complete_ = false;
  Element element_;
  std::optional<JsonDocument> parsed_;
  std::array<bool, section_names.size()> section_seen_{};

  std::string_view chunk_;
  std::size_t position_ = 0;
  std::uint64_t lines_before_chunk_ = 0;

  std::string text_;  // of the current name or element
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace portail
