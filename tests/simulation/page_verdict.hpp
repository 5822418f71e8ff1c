// The verdict on a page of mail objects, sorted and filtered. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tests/simulation/portal_history.hpp"
#include "tests/simulation/selection.hpp"

namespace portail::simulation {

struct PageRequest {
  int skip = 0;
  int count = 10;
  Selection selection;
};

// Returns what is wrong with the answer's body, if anything. While mail objects change, each element must be possible,
// and have a possible position.
std::optional<std::string> judge_page(const PortalHistory& history, const PageRequest& page, std::string_view body,
                                      Window window);

}  // namespace portail::simulation
