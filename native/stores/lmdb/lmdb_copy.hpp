// Copies an LMDB store while other processes read and write it. The copy is of one state, without free pages. One
// thread.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

namespace portail::lmdb {

// Copies the store in the folder `from` into the folder `to`, which must not contain a store; creates a missing folder.
// Every page of the copy is checked before it gets its name. The error is one line; a failed copy leaves nothing. No
// Store of either folder may be open in this process.
std::expected<void, std::string> copy_store(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace portail::lmdb
