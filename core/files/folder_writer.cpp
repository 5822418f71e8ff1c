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
#include "core/files/leftovers.hpp"
#include "core/files/listing.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds shortest_pause{1};
constexpr milliseconds longest_pause{16};

std::string in_writers(std::string_view name) {
  std::string path(writers_folder);
  return path.append("/").append(name);
}
std::string in_lease(std::string_view token) { return in_writers(lease_name).append("/").append(token); }

// 128 random bits: no other writer draws the same.
std::expected<std::string, FolderFault> draw_token() {
  std::array<std::byte, 16> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0) return system_fault(errno);
  return lower_hex(bytes);
}

void pause_for(milliseconds time) {
  const timespec duration{.tv_sec = 0, .tv_nsec = static_cast<long>(time.count()) * 1'000'000};
  nanosleep(&duration, nullptr);
}

// What is in the lease: the token of its holder, or nothing.
std::optional<std::string> find_holder(int folder) {
  std::optional<std::string> holder;
  // A missing lease is free: no writer holds it.
  [[maybe_unused]] const auto listed =
      list_folder(folder, in_writers(lease_name).c_str(), [&holder](std::string_view name) {
        holder = name;
        return false;
      });
  return holder;
}

std::unexpected<FolderFault> lease_was_lost() {
  return std::unexpected(FolderFault{Failure::unavailable, "this writer was stopped for so long that others went on"});
}

#ifdef __linux__
// From so many files on, one sync of the whole file system takes less time than theirs.
constexpr std::size_t many_files = 16;
int sync_file_system(int folder) { return syncfs(folder); }
#else
constexpr std::size_t many_files = static_cast<std::size_t>(-1);
int sync_file_system(int) { return 0; }
#endif

}  // namespace

FolderWriter::~FolderWriter() {
  give_lease_back();
  if (own_.empty()) return;
  if (!had_lease_) {
    remove_tree(folder_, own_);
    return;
  }
  for (std::size_t i = 0; i < staged_; ++i) unlinkat(folder_, staged_file(own_, i).c_str(), 0);
  unlinkat(folder_, own_.c_str(), AT_REMOVEDIR);
}

std::expected<void, FolderFault> FolderWriter::stage(std::span<const Change> changes) {
  if (auto made = make_own_folder(); !made) return made;
  std::string inside = own_;
  inside.append("/").append(token_);
  const bool sync_together = changes.size() >= many_files;
  for (const Change& change : changes) {
    // A removal swaps its key's file for an empty one, and this file for nothing.
    const bool sync = change.value && !sync_together;
    if (auto written = write_file(staged_file(inside, staged_++), change.value.value_or(""), sync); !written) {
      return written;
    }
  }
  if (sync_together && sync_file_system(folder_) != 0) return system_fault(errno);
  return {};
}

std::expected<void, FolderFault> FolderWriter::make_own_folder() {
  auto token = draw_token();
  if (!token) return std::unexpected(token.error());
  const std::string own = in_writers(*token);
  if (mkdirat(folder_, own.c_str(), 0700) != 0) {
    if (errno != ENOENT) return system_fault(errno);
    const std::string writers(writers_folder);
    if (mkdirat(folder_, writers.c_str(), 0700) != 0 && errno != EEXIST) return system_fault(errno);
    if (mkdirat(folder_, own.c_str(), 0700) != 0) return system_fault(errno);
  }
  token_ = std::move(*token);
  own_ = own;
  held_ = in_lease(token_);
  std::string inside = own_;
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

std::expected<void, FolderFault> FolderWriter::take_lease(Context& context, milliseconds patience) {
  const std::string lease = in_writers(lease_name);
  std::optional<std::string> seen;
  steady_clock::time_point seen_since;
  // A host's clock may stand still while its thread is blocked here.
  const auto begun = steady_clock::now();
  const Instant now = context.clock.now();
  const std::chrono::microseconds left(context.deadline.microseconds - std::min(now, context.deadline).microseconds);
  for (milliseconds pause = shortest_pause;; pause = std::min(2 * pause, longest_pause)) {
    if (renameat(folder_, own_.c_str(), folder_, lease.c_str()) == 0) {
      has_lease_ = had_lease_ = true;
      return {};
    }
    if (errno != ENOTEMPTY && errno != EEXIST) return system_fault(errno);
    const auto holder = find_holder(folder_);
    if (holder != seen) {
      seen = holder;
      seen_since = steady_clock::now();
    } else if (holder && steady_clock::now() - seen_since >= patience) {
      if (renameat(folder_, in_lease(*holder).c_str(), folder_, in_writers(*holder).c_str()) == 0) {
        context.log.warn("store: a writer that did not go on was put aside", *holder);
        continue;
      }
    }
    if (now > context.deadline ||
        std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begun) > left) {
      return std::unexpected(FolderFault{Failure::cancelled, "the deadline passed before the lease was free"});
    }
    pause_for(pause);
  }
}

std::expected<void, FolderFault> FolderWriter::make(std::size_t index, const Change& change) {
  const auto name = FileName::of_key(change.key);
  if (!name) return std::unexpected(FolderFault{Failure::too_large, "a key is outside the limits"});
  const std::string staged = staged_file(held_, index);
  const char* from = change.value ? staged.c_str() : name->c_str();
  const char* to = change.value ? name->c_str() : staged.c_str();
  if (renameat(folder_, from, folder_, to) == 0) return {};
  if (errno != ENOENT) return system_fault(errno);
  if (!holds_lease()) return lease_was_lost();
  // What is to be removed is not there.
  if (!change.value) return {};
  return std::unexpected(FolderFault{Failure::unavailable, "another process removed this writer's files"});
}

void FolderWriter::give_lease_back() {
  if (!has_lease_) return;
  has_lease_ = false;
  // Where others have taken it away, it is in the same place already.
  renameat(folder_, held_.c_str(), folder_, own_.c_str());
}

std::expected<void, FolderFault> FolderWriter::sync_names(std::span<const Change> changes) {
  if (fsync(folder_) == 0) return {};
  if (errno != EBADF) return system_fault(errno);
  // WASI preview 1 syncs files only. The journals of ext4, XFS and Btrfs take the rename of a file along with it.
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto name = FileName::of_key(changes[i].key);
    const std::string removed = staged_file(own_, i);
    const char* const path = changes[i].value ? name->c_str() : removed.c_str();
    struct stat status{};
    // Not there: another writer has removed it since, and syncs that; or it was never there. What was removed and is no
    // regular file has nothing to sync, and opening it may wait for its peer.
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

std::string FolderWriter::staged_file(const std::string& inside, std::size_t index) const {
  return inside + '/' + std::to_string(index);
}

bool FolderWriter::holds_lease() const {
  struct stat status{};
  return fstatat(folder_, held_.c_str(), &status, 0) == 0;
}

}  // namespace portail
