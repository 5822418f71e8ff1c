// The values `consultation.SUB.N`: the count of deposits that a person has seen, for each bundle.
//
//   part 0 begins   PARTS
//   every part      "bundle id" TAB COUNT
//
// After a race a bundle may have several lines: the highest count is valid. A line's further fields, which a later
// version wrote, are kept. Views into the stored values.
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
  // Returns the highest count recorded for the bundle (its id as a JSON string); 0 if there is none.
  [[nodiscard]] std::uint64_t seen_deposits(std::string_view bundle) const;
  // Calls visit(std::string_view bundle, std::uint64_t count) for each line.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& entry : entries_) visit(entry.bundle, entry.count);
  }

 private:
  struct Entry {
    std::string_view bundle;
    std::uint64_t count;
  };
  std::vector<Entry> entries_;  // ordered by bundle, then count
};

// Returns `text` (a complete part, or empty for a new part) with the bundle's count raised to `count`.
std::string with_consultation(std::size_t part, std::string_view text, std::string_view bundle, std::uint64_t count);
// Whether a new bundle must go to the next part.
bool consultation_part_is_full(std::string_view text);
// Returns part 0 with another number of parts.
std::string with_consultation_parts(std::string_view part_0, std::size_t parts);

}  // namespace portail
