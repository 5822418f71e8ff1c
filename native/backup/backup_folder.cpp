#include "native/backup/backup_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/text.hpp"
#include "core/base/time.hpp"
#include "native/system/atomic_file.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinished_name = ".portail-backup.unfinished";
constexpr std::string_view pattern = "0000-00-00T000000Z";
constexpr std::string_view data_file = "data.mdb";
constexpr std::string_view lock_file = "lock.mdb";

// "2026-01-31T080000Z": without colons, which tar and scp interpret.
std::string name_of_time(Instant time) {
  std::string name = utc_text_to_the_second(time);
  std::erase(name, ':');
  return name;
}

bool is_dated(std::string_view name) {
  return std::ranges::equal(name, pattern, [](char each, char of_pattern) {
    return of_pattern == '0' ? is_ascii_digit(each) : each == of_pattern;
  });
}

// Whether it is a folder with a store and nothing else.
bool is_backup(const fs::path& folder) {
  std::error_code error;
  if (!is_dated(folder.filename().string()) || !fs::is_directory(fs::symlink_status(folder, error))) return false;
  bool has_data = false;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename();
    if (name != data_file && name != lock_file) return false;
    has_data |= name == data_file && fs::is_regular_file(fs::symlink_status(each->path(), error));
  }
  return !error && has_data;
}

// The newest first.
std::vector<fs::path> backups_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    if (is_backup(each->path())) found.push_back(each->path());
  }
  std::ranges::sort(found, std::ranges::greater());
  return found;
}

std::unexpected<Fault> path_fault(const fs::path& path, std::string_view what, int code) {
  return failure(path.string().append(" cannot be ").append(what).append(": ").append(std::strerror(code)));
}

}  // namespace

std::expected<BackupFolder, Fault> BackupFolder::open(const fs::path& folder) {
  const FolderOwner owner(folder);
  if (const auto created = create_private_directories(folder.string()); !created)
    return path_fault(folder, "created", created.error());
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return path_fault(folder, "opened", errno);
  if (flock(opened.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return failure("another backup into " + folder.string() + " is running: wait until it ends");
    return path_fault(folder, "locked", errno);
  }
  BackupFolder backups(folder, std::move(opened));
  std::error_code error;
  fs::remove_all(backups.unfinished(), error);
  if (error) return path_fault(backups.unfinished(), "removed", error.value());
  return backups;
}

BackupFolder::~BackupFolder() {
  std::error_code ignored;
  if (locked_) fs::remove_all(unfinished(), ignored);
}

fs::path BackupFolder::unfinished() const { return path_ / unfinished_name; }

std::expected<fs::path, Fault> BackupFolder::publish(Instant begin) {
  for (;; begin.microseconds += 1'000'000) {
    fs::path published = path_ / name_of_time(begin);
    // RENAME_NOREPLACE: an empty folder of that name is not this backup either.
    if (renameat2(AT_FDCWD, unfinished().c_str(), AT_FDCWD, published.c_str(), RENAME_NOREPLACE) == 0) {
      if (auto synced = sync(); !synced) return std::unexpected(synced.error());
      return published;
    }
    if (errno != EEXIST) return path_fault(published, "created", errno);
  }
}

std::expected<std::vector<fs::path>, Fault> BackupFolder::remove_old(const fs::path& newest, std::size_t keep) {
  std::vector<fs::path> old = backups_in(path_);
  // The clock may have been set back: then others have later names.
  std::erase(old, newest);
  old.erase(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(std::min(keep - 1, old.size())));
  std::ranges::reverse(old);
  for (const fs::path& each : old) {
    std::error_code error;
    fs::rename(each, unfinished(), error);
    if (!error) fs::remove_all(unfinished(), error);
    if (error) return path_fault(each, "removed", error.value());
  }
  if (auto synced = sync(); !synced) return std::unexpected(synced.error());
  return old;
}

std::expected<void, Fault> BackupFolder::sync() const {
  if (fsync(locked_.number()) != 0) return path_fault(path_, "written", errno);
  return {};
}

std::optional<fs::path> newest_backup(const fs::path& folder) {
  std::vector<fs::path> found = backups_in(folder);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

}  // namespace portail
