// The count of deposits that a person has seen of each bundle: the values `consultation.SUB.N`.
//
//   part 0 begins   PARTS
//   every part      "bundle id" TAB COUNT
//
// A bundle may stand in several lines (two requests that raced): the highest counts. Views into the stored values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"

namespace portail {

Result<std::size_t> count_consultation_parts(std::string_view part_0);

class Consultations {
 public:
  Result<void> add_part(std::size_t number, std::string_view text);
  // The highest count recorded for the bundle (its id as a JSON string); 0 for one that was never read.
  [[nodiscard]] std::uint64_t seen(std::string_view bundle) const;

 private:
  struct Entry {
    std::string_view bundle;
    std::uint64_t count;
  };
  std::vector<Entry> entries_;  // by bundle, then count
};

// `text` (a whole part, or empty for a part that is not there yet) with the bundle's count raised to `count`.
std::string with_consultation(std::size_t part, std::string_view text, std::string_view bundle, std::uint64_t count);
// Whether a part holds so much that the next new bundle begins another one.
bool consultation_part_is_full(std::string_view text);
// part 0 with its number of parts changed.
std::string with_consultation_parts(std::string_view part_0, std::size_t parts);

}  // namespace portail
