// What the minimal components answer: the bytes that they were told in their environment, after the host calls that any
// component over a folder has to make for the same answer.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace minimal {

struct Answer {
  std::vector<std::pair<std::string_view, std::string_view>> headers;  // MINIMAL_HEADERS, a line each: Name: value
  std::string_view body;                                               // MINIMAL_BODY
};

// Read once for an instance; it lives as long as that.
const Answer& answer();

// Asks the time, and opens, reads and closes each file of MINIMAL_FILES, which are separated by spaces. Traps where one
// cannot be read: then nothing would be measured.
void read_files();

}  // namespace minimal
