// Which processes use the store in a folder: each has a lock on the folder itself, whatever is moved out of it
// meanwhile, and the lock ends with the process, however that ends. `folder` is a descriptor of the folder; its locks
// end when it is closed. Codes are the system's, 0 where all went well.
#pragma once

#include <expected>

namespace portail {

// Waits until this descriptor alone may open, make or restore a store there.
int enter_folder(int folder);
// Lets others do so.
void leave_folder(int folder);

// From now on the store is in use.
int use_folder(int folder);
// Whether it is, by any descriptor but this one.
std::expected<bool, int> is_folder_used(int folder);

}  // namespace portail
