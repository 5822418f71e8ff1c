// Reads small files, such as key sets. Any thread.
#pragma once

#include <cstddef>
#include <expected>
#include <string>

namespace portail {

// Whether `file` may be the content instead of a path: it neither begins like a path nor ends like the name of a file
// ("server.pem"), and no such file exists. Then it may be a secret, and no message repeats it.
bool may_be_content(const std::string& file);

// Returns the content of a file of at most `max_mebibytes`. The error is a line for the operator. It names the file,
// unless that may be its content, and `setting`.
std::expected<std::string, std::string> read_small_file(const std::string& file, const std::string& setting,
                                                        std::size_t max_mebibytes = 1);

}  // namespace portail
