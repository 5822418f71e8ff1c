// Reads the revision of a folder by wasi:filesystem 0.3, without blocking the instance. Requests do not share a stat
// (core/storage/shared_check.hpp): the host gives an instance its next request after the stat of the one before. Like
// reads, stats have no deadline. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bindings/folder/folder.h"
#include "core/storage/folder/revision.hpp"
#include "edge/host/owned.hpp"

namespace portail::edge {

using FolderDescriptor = Owned<folder_types_own_descriptor_t, folder_types_descriptor_drop_own>;

class AsynchronousRevision final : public RevisionReader {
 public:
  // `path` is the path of the store's folder inside the component.
  explicit AsynchronousRevision(std::string_view path);

  // Fails only if it is cancelled. A folder that the host has not opened has no revision.
  Task<std::optional<Revision>> read(Context& context) override;

 private:
  std::optional<FolderDescriptor> folder_;  // opened by the host; contains file_
  std::string file_;
};

}  // namespace portail::edge
