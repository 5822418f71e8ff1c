// Reading a file that is small, such as a key set. Any thread.
#pragma once

#include <expected>
#include <string>

namespace portail {

// Whether `file` neither begins like a path nor is the name of a file here: it may be what the file should hold, a
// secret, and no line repeats it.
bool may_be_content(const std::string& file);

// All of a file of at most 1 MiB. The error is one line for the operator: it names the file, unless that may be its
// content, and `setting` as what to change.
std::expected<std::string, std::string> read_small_file(const std::string& file, const std::string& setting);

}  // namespace portail
