#include "core/files/folder_writer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hexadecimal.hpp"
#include "core/files/descriptor.hpp"
#include "core/files/file_names.hpp"
#include "core/files/listing.hpp"
#include "core/files/revision.hpp"
#include "core/files/stale_files.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds min_backoff{1};
constexpr milliseconds max_backoff{16};
constexpr int max_refusals = 100;

std::string in_writers(std::string_view name) {
  std::string path(writers_folder);
  return path.append("/").append(name);
}
std::string in_lease(std::string_view token) { return in_writers(lease_name).append("/").append(token); }

// Returns 128 random bits as hexadecimal digits: unique among writers.
std::expected<std::string, FolderFault> generate_token() {
  std::array<std::byte, 16> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0) return system_fault(errno);
  return lower_hex(bytes);
}

void sleep_for(milliseconds time) {
  const timespec duration{.tv_sec = 0, .tv_nsec = static_cast<long>(time.count()) * 1'000'000};
  nanosleep(&duration, nullptr);
}

// Returns the token of the lease's holder, or nullopt.
std::optional<std::string> find_holder(int folder) {
  std::optional<std::string> holder;
  // A missing lease is free.
  [[maybe_unused]] const auto listed =
      list_folder(folder, in_writers(lease_name).c_str(), [&holder](std::string_view name) {
        holder = name;
        return false;
      });
  return holder;
}

// Removes the folder of a holder, with its files. They are removed where they are: a rename that the holder's host has
// begun with the open folder would succeed if it were moved. Returns whether it is gone.
bool revoke(int folder, const std::string& holder_path) {
  remove_tree(folder, holder_path);
  struct stat status{};
  return fstatat(folder, holder_path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

std::unexpected<FolderFault> lease_lost() {
  return std::unexpected(
      FolderFault{Failure::unavailable, "this writer was suspended for too long and lost its lease"});
}

#ifdef __linux__
// From this number of files, one sync of the whole file system is faster than one for each file.
constexpr std::size_t min_files_for_syncfs = 16;
int sync_file_system(int folder) { return syncfs(folder); }
#else
constexpr std::size_t min_files_for_syncfs = static_cast<std::size_t>(-1);
int sync_file_system(int) { return 0; }
#endif

}  // namespace

FolderWriter::~FolderWriter() {
  release_lease();
  if (own_path_.empty()) return;
  if (!lease_was_acquired_) {
    remove_tree(folder_, own_path_);
    return;
  }
  for (std::size_t i = 0; i < staged_count_; ++i) unlinkat(folder_, staged_file(own_path_, i).c_str(), 0);
  unlinkat(folder_, own_path_.c_str(), AT_REMOVEDIR);
}

std::expected<void, FolderFault> FolderWriter::stage(std::span<const Change> changes) {
  if (auto made = create_own_folder(); !made) return made;
  std::string inside = own_path_;
  inside.append("/").append(token_);
  const bool sync_together = changes.size() >= min_files_for_syncfs;
  for (const Change& change : changes) {
    // A removal renames the file of its key to the name of this empty file.
    const bool sync = change.value && !sync_together;
    if (auto written = write_file(staged_file(inside, staged_count_++), change.value.value_or(""), sync); !written) {
      return written;
    }
  }
  if (sync_together && sync_file_system(folder_) != 0) return system_fault(errno);
  return {};
}

std::expected<void, FolderFault> FolderWriter::create_own_folder() {
  auto token = generate_token();
  if (!token) return std::unexpected(token.error());
  const std::string own = in_writers(*token);
  if (mkdirat(folder_, own.c_str(), 0700) != 0) {
    if (errno != ENOENT) return system_fault(errno);
    const std::string writers(writers_folder);
    if (mkdirat(folder_, writers.c_str(), 0700) != 0 && errno != EEXIST) return system_fault(errno);
    if (mkdirat(folder_, own.c_str(), 0700) != 0) return system_fault(errno);
  }
  token_ = std::move(*token);
  own_path_ = own;
  lease_path_ = in_lease(token_);
  std::string inside = own_path_;
  if (mkdirat(folder_, inside.append("/").append(token_).c_str(), 0700) != 0) return system_fault(errno);
  return {};
}

std::expected<void, FolderFault> FolderWriter::write_file(const std::string& path, std::string_view bytes, bool sync) {
  const Descriptor file(openat(folder_, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return system_fault(errno);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return system_fault(errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (sync && fsync(file.number()) != 0) return system_fault(errno);
  return {};
}

std::expected<void, FolderFault> FolderWriter::acquire_lease(Context& context, milliseconds lease_timeout) {
  const std::string lease = in_writers(lease_name);
  std::optional<std::string> last_holder;
  steady_clock::time_point held_since;
  // The host's clock may stop while this thread is blocked.
  const auto start = steady_clock::now();
  const Instant now = context.clock.now();
  const std::chrono::microseconds remaining(context.deadline.microseconds -
                                            std::min(now, context.deadline).microseconds);
  for (milliseconds backoff = min_backoff;; backoff = std::min(2 * backoff, max_backoff)) {
    if (renameat(folder_, own_path_.c_str(), folder_, lease.c_str()) == 0) {
      has_lease_ = lease_was_acquired_ = true;
      return refuse_older_programs();
    }
    if (errno != ENOTEMPTY && errno != EEXIST) return system_fault(errno);
    const auto holder = find_holder(folder_);
    if (holder != last_holder) {
      last_holder = holder;
      held_since = steady_clock::now();
    } else if (holder && steady_clock::now() - held_since >= lease_timeout) {
      if (revoke(folder_, in_lease(*holder))) {
        context.log.warn("store: the lease of a stalled writer was removed", *holder);
        continue;
      }
    }
    if (now > context.deadline ||
        std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - start) > remaining) {
      return std::unexpected(FolderFault{Failure::cancelled, "timed out waiting for the lease"});
    }
    sleep_for(backoff);
  }
}

std::expected<void, FolderFault> FolderWriter::apply(std::size_t index, const Change& change) {
  const auto name = FileName::of_key(change.key);
  if (!name) return std::unexpected(FolderFault{Failure::too_large, "a key is outside the limits"});
  if (revision_ == 0 && !is_volatile_key(change.key)) {
    if (auto begun = begin_revision(); !begun) return begun;
  }
  const std::string staged = staged_file(lease_path_, index);
  const char* from = change.value ? staged.c_str() : name->c_str();
  const char* to = change.value ? name->c_str() : staged.c_str();
  if (renameat(folder_, from, folder_, to) == 0) return {};
  if (errno != ENOENT) return system_fault(errno);
  if (!holds_lease()) return lease_lost();
  // The key to be removed does not exist.
  if (!change.value) return {};
  return std::unexpected(FolderFault{Failure::unavailable, "another process removed this writer's files"});
}

void FolderWriter::release_lease() {
  if (!has_lease_) return;
  end_revision();
  has_lease_ = false;
  // Fails if another writer has revoked the lease, and so removed the files.
  renameat(folder_, lease_path_.c_str(), folder_, own_path_.c_str());
}

std::expected<void, FolderFault> FolderWriter::refuse_older_programs() {
  const std::string older_lease = in_writers(older_lease_name);
  for (int attempt = 0; attempt < max_refusals; ++attempt) {
    struct stat status{};
    if (fstatat(folder_, older_lease.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(status.st_mode)) return {};
    remove_tree(folder_, older_lease);
    const Descriptor file(openat(folder_, older_lease.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file && errno != EEXIST) return system_fault(errno);
  }
  return std::unexpected(FolderFault{Failure::unavailable, "an older program keeps the lease: stop it"});
}

std::expected<void, FolderFault> FolderWriter::begin_revision() {
  const auto before = stat_revision(folder_);
  if (!before) return std::unexpected(before.error());
  const std::uint64_t size = before->value_or(Revision{}).size;
  revision_ = size | 1;
  return size == revision_ ? std::expected<void, FolderFault>() : set_revision(revision_);
}

void FolderWriter::end_revision() {
  if (revision_ == 0) {
    const auto found = stat_revision(folder_);
    if (!found || !*found || !is_unfinished(**found)) return;
    revision_ = (*found)->size;  // of a writer that was killed
  }
  [[maybe_unused]] const auto ended = set_revision(revision_ + 1);
}

std::expected<void, FolderFault> FolderWriter::set_revision(std::uint64_t size) {
  const std::string made = lease_path_ + "/revision";
  const Descriptor file(openat(folder_, made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file && ftruncate(file.number(), static_cast<off_t>(size)) == 0 &&
      renameat(folder_, made.c_str(), folder_, std::string(revision_name).c_str()) == 0) {
    return {};
  }
  const int code = errno;
  unlinkat(folder_, made.c_str(), 0);
  if (code == ENOENT) return lease_lost();
  return system_fault(code);
}

std::expected<void, FolderFault> FolderWriter::sync_names(std::span<const Change> changes) {
  if (fsync(folder_) == 0) return {};
  if (errno != EBADF) return system_fault(errno);
  // WASI preview 1 syncs files only. The journals of ext4, XFS and Btrfs include the rename of a synced file.
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto name = FileName::of_key(changes[i].key);
    const std::string removed = staged_file(own_path_, i);
    const char* const path = changes[i].value ? name->c_str() : removed.c_str();
    struct stat status{};
    // If the file does not exist, another writer has removed it since and syncs that, or the key never existed. A
    // removed file that is not a regular file needs no sync, and opening it could block.
    if (fstatat(folder_, path, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;
      return system_fault(errno);
    }
    if (!S_ISREG(status.st_mode)) continue;
    const Descriptor file(openat(folder_, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file && errno != ENOENT) return system_fault(errno);
    if (file && fsync(file.number()) != 0) return system_fault(errno);
  }
  return {};
}

std::string FolderWriter::staged_file(const std::string& folder_path, std::size_t index) const {
  return folder_path + '/' + std::to_string(index);
}

bool FolderWriter::holds_lease() const {
  struct stat status{};
  return fstatat(folder_, lease_path_.c_str(), &status, 0) == 0;
}

}  // namespace portail
