#include "core/storage/folder/revision.hpp"

#include <string>

#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/primitives.hpp"

namespace portail {

std::expected<std::optional<Revision>, FolderFault> stat_revision(int folder) {
  const auto found = stat_file(folder, std::string(revision_name));
  if (!found) return system_fault(found.error());
  if (!*found || (*found)->kind != FileKind::regular) return std::nullopt;
  return Revision{.size = (*found)->size, .modified = (*found)->modified, .changed = (*found)->changed};
}

}  // namespace portail
