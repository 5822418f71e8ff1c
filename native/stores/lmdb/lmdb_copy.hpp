// A copy of an LMDB store while others read and write it: of one moment, without the free pages of its file. One
// thread.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

namespace portail {

// Copies the store in the folder `from` into the folder `to`, which is made where it is missing and holds no store, and
// reads every page of the copy before it is one. The error is one line; nothing is left of a copy that failed. No
// LmdbStore of either folder is open in this process.
std::expected<void, std::string> copy_lmdb(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace portail
