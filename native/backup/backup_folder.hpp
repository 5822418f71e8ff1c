// A folder of dated backups, `2026-01-31T080000Z`. A backup is made under another name and renamed when it is complete,
// so a dated name is that of a complete one. Other files and folders are left alone. One thread.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.hpp"
#include "core/storage/folder/descriptor.hpp"
#include "native/settings/fault.hpp"

namespace portail {

class BackupFolder {
 public:
  // Creates a missing folder, locks it, and removes what an interrupted backup left.
  static std::expected<BackupFolder, Fault> open(const std::filesystem::path& folder);

  // The folder that a new backup is made in. Does not exist.
  [[nodiscard]] std::filesystem::path unfinished() const;
  // Gives the complete backup its name, the time at which it began or the next one without a backup, and returns its
  // path.
  std::expected<std::filesystem::path, Fault> publish(Instant begin);
  // Removes all but `keep` backups, oldest first, and never `newest`. Returns the removed folders.
  std::expected<std::vector<std::filesystem::path>, Fault> remove_old(const std::filesystem::path& newest,
                                                                      std::size_t keep);

  BackupFolder(BackupFolder&&) = default;
  BackupFolder& operator=(BackupFolder&&) = delete;
  // Removes an unfinished backup.
  ~BackupFolder();

 private:
  BackupFolder(std::filesystem::path path, Descriptor locked) : path_(std::move(path)), locked_(std::move(locked)) {}
  [[nodiscard]] std::expected<void, Fault> sync() const;

  std::filesystem::path path_;
  Descriptor locked_;
};

// The newest backup of such a folder; nullopt if there is none.
std::optional<std::filesystem::path> newest_backup(const std::filesystem::path& folder);

}  // namespace portail
