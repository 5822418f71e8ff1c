// Removes the files of killed writers. Any thread, any process.
#pragma once

#include <string>

namespace portail {

// Removes a file, or a folder with its contents. Errors are ignored.
void remove_tree(int parent, const std::string& path);

// Removes the files of writers that have not changed for an hour. The current time is that of the last change of the
// writers' folder, so the caller must have just written there. If a writer resumes after that, it fails.
void remove_stale_files(int folder);

}  // namespace portail
