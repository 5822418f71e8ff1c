// What the minimal components answer: the bytes that they were told in their environment, after the calls of its store
// that any component has to make for the same answer.
#pragma once

#include <string>
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

// Asks the machine for what no such answer is made without: the time, by which a token is judged, and the random bytes
// of a correlation id.
void ask_machine();

// Reads the value of each of MINIMAL_KEYS, which are separated by spaces, from the store that the component is built
// with (folder.cpp, bucket.cpp, bucket2.cpp). Traps where one cannot be read: then nothing would be measured.
void read_values();

// For those: MINIMAL_KEYS.
std::vector<std::string> keys();

}  // namespace minimal
