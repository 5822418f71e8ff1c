// Reading a file that is small, such as a key set. Any thread.
#pragma once

#include <expected>
#include <string>

namespace portail {

// All of a file of at most 1 MiB. The error is one line for the operator: it names the file, and `flag` as what to
// change.
std::expected<std::string, std::string> read_small_file(const std::string& file, const std::string& flag);

}  // namespace portail
