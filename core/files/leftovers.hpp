// What killed writers leave behind in the folder of writers. Any thread, any process.
#pragma once

#include <string>

namespace portail {

// Removes a file, or a folder with all it holds. What cannot be removed stays.
void remove_tree(int parent, const std::string& path);

// Removes what has not changed for an hour. The time is the file system's own: the last change of the folder of
// writers, so the caller has just written there. A writer that nevertheless comes back finds its files gone, and fails.
void remove_leftovers(int folder);

}  // namespace portail
