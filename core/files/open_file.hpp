// Opening a file of the folder to read it: one call of a component's host. Any thread.
#pragma once

namespace portail {

// The file `name` in `folder`, no symbolic link; -1, and errno says why, where it cannot be opened. The caller closes
// it.
int open_file(int folder, const char* name);

}  // namespace portail
