// Locks that show which processes use the store in a folder. Each process locks the folder itself, so moving its files
// does not matter, and the lock ends with the process. `folder` is a descriptor of the folder; its locks end when it is
// closed. Codes are errno values, 0 for success.
#pragma once

#include <expected>

namespace portail {

// Waits for the exclusive right to open, create or restore a store there.
int lock_folder(int folder);
// Releases that right.
void unlock_folder(int folder);

// Marks the store as used until the descriptor is closed.
int mark_folder_used(int folder);
// Returns whether another descriptor has marked the store as used.
std::expected<bool, int> is_folder_used(int folder);

}  // namespace portail
