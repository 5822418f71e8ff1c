// Root writes the files of a folder as the folder's owner, so that a service that runs as that user can read them.
#pragma once

#include <expected>
#include <filesystem>
#include <string>

#include <sys/types.h>

namespace portail {

// While it exists, this thread opens and creates files as the owner of `folder`, or of the nearest parent that exists.
// Has no effect unless the process is root. Objects may be nested: the innermost one counts.
class FolderOwner {
 public:
  explicit FolderOwner(const std::filesystem::path& folder);
  FolderOwner(const FolderOwner&) = delete;
  FolderOwner& operator=(const FolderOwner&) = delete;
  ~FolderOwner();

 private:
  uid_t user_before_ = 0;
  gid_t group_before_ = 0;
  bool is_root_;
};

// A fault if the process is root and the file exists and belongs to another user than its folder: one of both cannot be
// used by the service.
std::expected<void, std::string> check_owner(const std::filesystem::path& folder, const char* file);

// The command that gives the files of a folder to the folder's owner, for messages.
std::string owner_hint(const std::filesystem::path& folder);

}  // namespace portail
