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

#include "core/files/descriptor.hpp"
#include "native/stores/folder_use.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"
#include "native/system/folder_owner.hpp"

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

// A temporary folder within the target folder. The destructor removes it with its content, and also the target folder
// if it was created for the copy and is empty.
class StagingFolder {
 public:
  static std::expected<StagingFolder, int> in(const fs::path& folder) {
    const bool created = mkdir(folder.c_str(), 0700) == 0;
    if (!created && errno != EEXIST) return std::unexpected(errno);
    std::string name = folder / "unfinished-XXXXXX";
    if (mkdtemp(name.data())) return StagingFolder(folder, std::move(name), created);
    const int code = errno;
    if (created) rmdir(folder.c_str());
    return std::unexpected(code);
  }
  StagingFolder(StagingFolder&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), path_(std::exchange(other.path_, {})), created_(other.created_) {}
  StagingFolder& operator=(StagingFolder&&) = delete;
  ~StagingFolder() {
    std::error_code ignored;
    if (path_.empty()) return;
    fs::remove_all(path_, ignored);
    if (created_) rmdir(folder_.c_str());
  }

  [[nodiscard]] const fs::path& path() const { return path_; }
  // Links the file `name` into the target folder, which must not have one, and syncs the folder.
  std::expected<void, int> publish(const char* name) {
    if (link((path_ / name).c_str(), (folder_ / name).c_str()) != 0) return std::unexpected(errno);
    for (const fs::path& synced : {folder_, created_ ? parent() : folder_}) {
      const Descriptor folder(::open(synced.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!folder || fsync(folder.number()) != 0) return std::unexpected(errno);
    }
    return {};
  }

 private:
  StagingFolder(fs::path folder, fs::path path, bool created)
      : folder_(std::move(folder)), path_(std::move(path)), created_(created) {}
  [[nodiscard]] fs::path parent() const { return folder_.has_parent_path() ? folder_.parent_path() : fs::path("."); }

  fs::path folder_;
  fs::path path_;
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
  auto staging = StagingFolder::in(folder);
  if (!staging) return creation_error(folder, staging.error());
  const auto locked = lock_unused_folder(folder);
  if (!locked) return std::unexpected(locked.error());
  if (auto written = write_copy(from, staging->path() / data_file); !written) return written;
  if (auto read = read_every_page(staging->path()); !read) return read;
  if (auto published = staging->publish(data_file); !published)
    return creation_error(folder / data_file, published.error());
  return {};
}

}  // namespace portail::lmdb
