// Checks that a folder is a store's, so that no other folder is taken for one by mistake. Any thread.
#pragma once

#include <expected>
#include <string>

namespace portail {

// Refuses a folder that contains other files and no store; the error names the first one. `path` is the folder's name
// in the error, one line for the operator.
std::expected<void, std::string> check_is_store(int folder, const std::string& path);

}  // namespace portail
