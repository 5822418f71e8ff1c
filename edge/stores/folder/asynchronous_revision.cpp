#include "edge/stores/folder/asynchronous_revision.hpp"

#include <utility>

#include "core/storage/folder/file_names.hpp"
#include "edge/async/events.hpp"
#include "edge/host/owned.hpp"

namespace portail::edge {
namespace {

constexpr folder_types_path_flags_t no_follow = 0;

std::int64_t nanoseconds(const folder_clock_instant_t& instant) {
  return instant.seconds * 1'000'000'000 + std::int64_t{instant.nanoseconds};
}

// One stat. Destroying it before its call has returned cancels it. Not movable.
class Stat {
 public:
  Stat(folder_types_borrow_descriptor_t folder, std::string_view file) {
    const auto name = list_of<folder_string_t>(file);
    call_.set_status(folder_types_method_descriptor_stat_at(folder, no_follow, name, &result_));
  }
  Stat(const Stat&) = delete;
  Stat& operator=(const Stat&) = delete;
  ~Stat() {
    call_.close();
    if (call_.returned()) folder_types_result_descriptor_stat_error_code_free(&result_);
  }

  Subtask& call() { return call_; }

  // Called after the call has returned. Returns nullopt unless it found a regular file with its times.
  [[nodiscard]] std::optional<Revision> revision() const {
    if (result_.is_err) return std::nullopt;
    const folder_types_descriptor_stat_t& found = result_.val.ok;
    if (found.type.tag != FOLDER_TYPES_DESCRIPTOR_TYPE_REGULAR_FILE || !found.data_modification_timestamp.is_some ||
        !found.status_change_timestamp.is_some) {
      return std::nullopt;
    }
    return Revision{.size = found.size,
                    .modified = nanoseconds(found.data_modification_timestamp.val),
                    .changed = nanoseconds(found.status_change_timestamp.val)};
  }

 private:
  folder_types_result_descriptor_stat_error_code_t result_{};
  Subtask call_;  // declared after the result, which the host writes to until the subtask is closed
};

}  // namespace

AsynchronousRevision::AsynchronousRevision(std::string_view path) {
  folder_preopens_list_tuple2_own_descriptor_string_t folders{};
  folder_preopens_get_directories(&folders);
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
    folder_ = std::move(folder);
    file_ = rest;
    if (!rest.empty() && !rest.ends_with('/')) file_ += '/';
    file_ += revision_name;
  }
  folder_preopens_list_tuple2_own_descriptor_string_free(&folders);
}

Task<std::optional<Revision>> AsynchronousRevision::read(Context&) {
  if (!folder_) co_return std::nullopt;
  Stat stat(folder_types_borrow_descriptor(folder_->get()), file_);
  while (!stat.call().returned()) stat.call().on_event(*co_await Wait(stat.call().waitable()));
  co_return stat.revision();
}

}  // namespace portail::edge
