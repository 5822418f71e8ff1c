#include "core/files/revision.hpp"

#include <string>

#include "core/files/file_names.hpp"
#include "core/files/primitives.hpp"

namespace portail {

std::expected<std::optional<Revision>, FolderFault> stat_revision(int folder) {
  const auto found = stat_file(folder, std::string(revision_name));
  if (!found) return system_fault(found.error());
  if (!*found || (*found)->kind != FileKind::regular) return std::nullopt;
  return Revision{.size = (*found)->size, .modified = (*found)->modified, .changed = (*found)->changed};
}

}  // namespace portail
