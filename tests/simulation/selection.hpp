// The oracle of `Sorting` and `Filter` (docs/reference/contract.md, "Requests"). It shares no code with core/. One
// thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/oracle.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail::simulation {

// A mail object as an element of a page.
struct Listed {
  int id;
  ConfiguredObject configured;
};

enum class SortField { id, type, description, usable, assignment, link };

struct Selection {
  std::vector<std::pair<SortField, bool>> order;  // and whether it is descending
  std::string filter;                             // empty: all
  std::string query;                              // "&Sorting=…&Filter=…", encoded
  bool is_invalid = false;                        // the sorting has an unknown field or direction

  [[nodiscard]] bool matches(const MailObject& object) const;
  // Whether `left` must come before `right`, which has another id.
  [[nodiscard]] bool precedes(const Listed& left, const Listed& right) const;
};

Selection random_selection(SeededRandom& random);

}  // namespace portail::simulation
