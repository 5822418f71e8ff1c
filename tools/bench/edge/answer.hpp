// The answer of the minimal components: the bytes in their environment, sent after the calls of store and system that
// any component needs for this answer.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minimal {

struct Answer {
  std::vector<std::pair<std::string_view, std::string_view>> headers;  // MINIMAL_HEADERS, one "Name: value" per line
  std::string_view body;                                               // MINIMAL_BODY
};

// Read once for an instance, and valid as long as it lives.
const Answer& answer();

// Reads the time, which validates a token, and random bytes for a correlation id.
void call_system();

// Reads the values of MINIMAL_KEYS, which are separated by spaces, from the store of the component (folder.cpp,
// bucket.cpp, bucket2.cpp). Traps if one cannot be read.
void read_values();

// The keys in MINIMAL_KEYS.
std::vector<std::string> keys();

}  // namespace minimal
