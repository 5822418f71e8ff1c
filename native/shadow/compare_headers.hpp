// Compares the headers that the contract defines. Others, such as Date and Server, are not compared. Pure functions;
// any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "native/shadow/difference.hpp"

namespace portail::shadow {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Appends the differences of the headers of two answers with the same status. `is_file` is whether they are template
// files.
void compare_headers(const Headers& portal, const Headers& upstream, bool is_file, Differences& found);

}  // namespace portail::shadow
