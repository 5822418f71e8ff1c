#include "native/stores/lmdb/lmdb_copy.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/folder_use.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"
#include "native/system/atomic_file.hpp"

namespace portail::lmdb {
namespace {

namespace fs = std::filesystem;

constexpr const char* data_file = "data.mdb";

std::unexpected<std::string> path_error(const fs::path& path, std::string_view why) {
  return std::unexpected(path.string() + ' ' + std::string(why));
}
std::unexpected<std::string> creation_error(const fs::path& path, int code) {
  return path_error(path, std::string("cannot be created: ") + std::strerror(code));
}

// Prevents other processes from opening a store in the folder while the descriptor is open. Fails if a process uses a
// store there: it would keep writing to its files, even if they were moved.
std::expected<Descriptor, std::string> lock_unused_folder(const fs::path& folder) {
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return path_error(folder, std::string("cannot be opened: ") + std::strerror(errno));
  const auto not_locked = [&folder](int code) {
    return path_error(folder, std::string("cannot be locked: ") + std::strerror(code));
  };
  if (const int code = lock_folder(opened.number())) return not_locked(code);
  const auto used = is_folder_used(opened.number());
  if (!used) return not_locked(used.error());
  if (*used)
    return path_error(folder, "is used by another process, though its store was moved away: stop that process first");
  return opened;
}

// The folder of the copy, locked. The copy is made in a folder within it. The destructor removes that with its content,
// and also the target folder if it was created for the copy and is empty.
class TargetFolder {
 public:
  // Removes what an interrupted copy left.
  static std::expected<TargetFolder, std::string> open(fs::path path) {
    const bool created = mkdir(path.c_str(), 0700) == 0;
    if (!created && errno != EEXIST) return creation_error(path, errno);
    auto locked = lock_unused_folder(path);
    if (!locked) {
      if (created) rmdir(path.c_str());
      return std::unexpected(std::move(locked.error()));
    }
    TargetFolder folder(std::move(path), std::move(*locked), created);
    std::error_code error;
    fs::remove_all(folder.unfinished(), error);
    if (error) return path_error(folder.unfinished(), "cannot be removed: " + error.message());
    if (mkdir(folder.unfinished().c_str(), 0700) != 0) return creation_error(folder.path_, errno);
    return folder;
  }
  TargetFolder(TargetFolder&&) noexcept = default;
  TargetFolder& operator=(TargetFolder&&) = delete;
  ~TargetFolder() {
    std::error_code ignored;
    if (!locked_) return;
    fs::remove_all(unfinished(), ignored);
    if (created_) rmdir(path_.c_str());
  }

  [[nodiscard]] fs::path unfinished() const { return path_ / ".portail-copy.unfinished"; }
  // Links the file `name` into the target folder, which must not have one, and syncs the folder.
  std::expected<void, int> publish(const char* name) {
    if (link((unfinished() / name).c_str(), (path_ / name).c_str()) != 0) return std::unexpected(errno);
    for (const fs::path& synced : {path_, created_ ? parent() : path_}) {
      const Descriptor folder(::open(synced.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!folder || fsync(folder.number()) != 0) return std::unexpected(errno);
    }
    return {};
  }

 private:
  TargetFolder(fs::path path, Descriptor locked, bool created)
      : path_(std::move(path)), locked_(std::move(locked)), created_(created) {}
  [[nodiscard]] fs::path parent() const { return path_.has_parent_path() ? path_.parent_path() : fs::path("."); }

  fs::path path_;
  Descriptor locked_;
  bool created_;
};

std::expected<void, std::string> write_copy(const fs::path& from, const fs::path& file) {
  const auto store = Store::open(from, {.read_only = true});
  if (!store) return std::unexpected(store.error());
  const Descriptor data(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!data) return creation_error(file, errno);
  if (auto copied = (*store)->copy_to(data.number()); !copied)
    return path_error(from, "cannot be copied: " + copied.error());
  if (fsync(data.number()) != 0) return creation_error(file, errno);
  return {};
}

// Opens the store as any process does, which checks every page.
std::expected<void, std::string> read_every_page(const fs::path& folder) {
  const auto store = Store::open(folder, {.read_only = true, .releases_pages = true});
  if (!store) return std::unexpected(store.error());
  return {};
}

}  // namespace

std::expected<void, std::string> copy_store(const fs::path& from, const fs::path& to) {
  const fs::path folder = to.has_filename() ? to : to.parent_path();  // "a/b/" is "a/b"
  const FolderOwner owner(folder);
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(folder / data_file, ignored))) {
    return path_error(folder, "already holds a store: choose another folder, or move that store away");
  }
  auto target = TargetFolder::open(folder);
  if (!target) return std::unexpected(target.error());
  if (auto written = write_copy(from, target->unfinished() / data_file); !written) return written;
  if (auto read = read_every_page(target->unfinished()); !read) return read;
  if (auto published = target->publish(data_file); !published)
    return creation_error(folder / data_file, published.error());
  return {};
}

}  // namespace portail::lmdb
