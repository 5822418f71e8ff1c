// Suggests the known name nearest to a mistyped one, in any case of the letters. Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace portail {

// Finds the only known name that has the mistyped one as its prefix, or else the nearest similar one. The texts must
// outlive it.
class NearestName {
 public:
  explicit NearestName(std::string_view name);
  // Among all names of a range.
  NearestName(std::string_view name, const auto& known) : NearestName(name) {
    for (const std::string_view each : known) add(each);
  }
  void add(std::string_view known);

  // Returns the name found, or an empty text.
  [[nodiscard]] std::string_view found() const;
  // Returns the same as a question, "; did you mean serve?", or an empty text.
  [[nodiscard]] std::string question() const;

 private:
  std::string_view name_;
  std::size_t distance_;  // of the best match so far; a candidate must be nearer
  std::string_view best_match_;
  std::string_view prefix_match_;  // the last candidate with the name as prefix
  std::size_t prefix_match_count_ = 0;
};

// Return the same for a list.
std::string nearest_name(std::string_view name, std::span<const std::string> known);
std::string suggestion_for(std::string_view name, std::span<const std::string> known);

}  // namespace portail
