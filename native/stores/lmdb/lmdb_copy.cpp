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

namespace portail {
namespace {

namespace fs = std::filesystem;

constexpr const char* data_file = "data.mdb";

std::unexpected<std::string> no_copy(const fs::path& path, std::string_view why) {
  return std::unexpected(path.string() + ' ' + std::string(why));
}
std::unexpected<std::string> cannot_make(const fs::path& path, int code) {
  return no_copy(path, std::string("cannot be made: ") + std::strerror(code));
}

// A folder in the one that the copy is for; removed with all that is in it, and that one too where it was made for the
// copy and is still empty.
class Workshop {
 public:
  static std::expected<Workshop, int> in(const fs::path& folder) {
    const bool made = mkdir(folder.c_str(), 0700) == 0;
    if (!made && errno != EEXIST) return std::unexpected(errno);
    std::string name = folder / "unfinished-XXXXXX";
    if (mkdtemp(name.data())) return Workshop(folder, std::move(name), made);
    const int code = errno;
    if (made) rmdir(folder.c_str());
    return std::unexpected(code);
  }
  Workshop(Workshop&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), path_(std::exchange(other.path_, {})), made_(other.made_) {}
  Workshop& operator=(Workshop&&) = delete;
  ~Workshop() {
    std::error_code ignored;
    if (path_.empty()) return;
    fs::remove_all(path_, ignored);
    if (made_) rmdir(folder_.c_str());
  }

  [[nodiscard]] const fs::path& path() const { return path_; }
  // Gives the file of that name its place in the folder, where there is none, for good.
  std::expected<void, int> publish(const char* name) {
    if (link((path_ / name).c_str(), (folder_ / name).c_str()) != 0) return std::unexpected(errno);
    for (const fs::path& synced : {folder_, made_ ? above() : folder_}) {
      const Descriptor folder(::open(synced.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (!folder || fsync(folder.number()) != 0) return std::unexpected(errno);
    }
    return {};
  }

 private:
  Workshop(fs::path folder, fs::path path, bool made)
      : folder_(std::move(folder)), path_(std::move(path)), made_(made) {}
  [[nodiscard]] fs::path above() const { return folder_.has_parent_path() ? folder_.parent_path() : fs::path("."); }

  fs::path folder_;
  fs::path path_;
  bool made_;
};

std::expected<void, std::string> write_copy(const fs::path& from, const fs::path& file) {
  const auto store = LmdbStore::open(from, {.read_only = true});
  if (!store) return std::unexpected(store.error());
  const Descriptor data(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!data) return cannot_make(file, errno);
  if (auto copied = (*store)->copy_to(data.number()); !copied)
    return no_copy(from, "cannot be copied: " + copied.error());
  if (fsync(data.number()) != 0) return cannot_make(file, errno);
  return {};
}

// Keeps other processes from opening a store in the folder, as long as it is open. A process that uses one there has
// its files open, wherever they were moved, and would go on writing to them.
std::expected<Descriptor, std::string> enter_alone(const fs::path& folder) {
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return no_copy(folder, std::string("cannot be opened: ") + std::strerror(errno));
  const auto not_locked = [&folder](int code) {
    return no_copy(folder, std::string("cannot be locked: ") + std::strerror(code));
  };
  if (const int code = enter_folder(opened.number())) return not_locked(code);
  const auto used = is_folder_used(opened.number());
  if (!used) return not_locked(used.error());
  if (*used)
    return no_copy(folder, "is used by another process, though its store was moved away: stop that process first");
  return opened;
}

// As any process that opens it will find it.
std::expected<void, std::string> read_every_page(const fs::path& folder) {
  const auto store = LmdbStore::open(folder, {.read_only = true, .gives_pages_back = true});
  if (!store) return std::unexpected(store.error());
  return {};
}

}  // namespace

std::expected<void, std::string> copy_lmdb(const fs::path& from, const fs::path& to) {
  const fs::path folder = to.has_filename() ? to : to.parent_path();  // "a/b/" is "a/b"
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(folder / data_file, ignored))) {
    return no_copy(folder, "holds a store already: choose another place, or move that one away");
  }
  auto workshop = Workshop::in(folder);
  if (!workshop) return cannot_make(folder, workshop.error());
  const auto alone = enter_alone(folder);
  if (!alone) return std::unexpected(alone.error());
  if (auto written = write_copy(from, workshop->path() / data_file); !written) return written;
  if (auto read = read_every_page(workshop->path()); !read) return read;
  if (auto published = workshop->publish(data_file); !published)
    return cannot_make(folder / data_file, published.error());
  return {};
}

}  // namespace portail
