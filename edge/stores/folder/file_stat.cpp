#include "edge/stores/folder/file_stat.hpp"

#include "edge/host/lists.hpp"

namespace portail::edge {
namespace {

constexpr folder_types_path_flags_t no_follow = 0;

std::int64_t nanoseconds(const folder_clock_instant_t& instant) {
  return instant.seconds * 1'000'000'000 + std::int64_t{instant.nanoseconds};
}

}  // namespace

std::optional<PreopenedFolder> find_preopened_folder(std::string_view path) {
  folder_preopens_list_tuple2_own_descriptor_string_t folders{};
  folder_preopens_get_directories(&folders);
  std::optional<PreopenedFolder> found;
  std::size_t matched = 0;
  for (std::size_t i = 0; i < folders.len; ++i) {
    // Freeing the list does not drop the resources in it.
    FolderDescriptor folder(folders.ptr[i].f0);
    const std::string_view name = view_of(folders.ptr[i].f1);
    if (!path.starts_with(name) || name.size() < matched || name.empty()) continue;
    std::string_view rest = path.substr(name.size());
    if (!rest.empty() && !rest.starts_with('/') && !name.ends_with('/')) continue;
    while (rest.starts_with('/')) rest.remove_prefix(1);
    matched = name.size();
    found = PreopenedFolder{.folder = std::move(folder), .path = std::string(rest)};
    if (!rest.empty() && !rest.ends_with('/')) found->path += '/';
  }
  folder_preopens_list_tuple2_own_descriptor_string_free(&folders);
  return found;
}

FileStat::~FileStat() {
  status_call_.close();
  identity_call_.close();
  if (status_call_.returned()) folder_types_result_descriptor_stat_error_code_free(&status_);
  if (identity_call_.returned()) folder_types_result_metadata_hash_value_error_code_free(&identity_);
}

void FileStat::start(folder_types_borrow_descriptor_t folder) {
  const auto name = list_of<folder_string_t>(name_);
  status_call_.set_status(folder_types_method_descriptor_stat_at(folder, no_follow, name, &status_));
  identity_call_.set_status(folder_types_method_descriptor_metadata_hash_at(folder, no_follow, name, &identity_));
}

StatResult FileStat::result(FileMetadata& status) const {
  if (status_.is_err) {
    return status_.val.err.tag == FOLDER_TYPES_ERROR_CODE_NO_ENTRY ? StatResult::absent : StatResult::other;
  }
  const folder_types_descriptor_stat_t& found = status_.val.ok;
  const bool is_complete = found.type.tag == FOLDER_TYPES_DESCRIPTOR_TYPE_REGULAR_FILE &&
                           found.data_modification_timestamp.is_some && found.status_change_timestamp.is_some &&
                           !identity_.is_err;
  if (!is_complete) return StatResult::other;
  status = {.size = found.size,
            .modified = nanoseconds(found.data_modification_timestamp.val),
            .changed = nanoseconds(found.status_change_timestamp.val),
            .identity = {identity_.val.ok.lower, identity_.val.ok.upper}};
  return StatResult::file;
}

}  // namespace portail::edge
