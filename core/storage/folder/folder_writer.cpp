#include "core/storage/folder/folder_writer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include <unistd.h>

#include "core/base/text.hpp"
#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/primitives.hpp"
#include "core/storage/folder/revision.hpp"
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
  if (getentropy(bytes.data(), bytes.size()) != 0) return system_fault({errno});
  return lower_hex(bytes);
}

// Returns the token of the lease's holder, or nullopt.
std::optional<std::string> find_holder(int folder) {
  std::optional<std::string> holder;
  // A missing lease is free.
  [[maybe_unused]] const auto listed = list_folder(folder, in_writers(lease_name), [&holder](std::string_view name) {
    holder = name;
    return false;
  });
  return holder;
}

// Removes the folder of a holder, with its files. They are removed where they are: a rename that the holder's host has
// begun with the open folder would succeed if it were moved. Returns whether it is gone.
bool revoke(int folder, const std::string& holder_path) {
  remove_tree(folder, holder_path);
  const auto found = stat_file(folder, holder_path);
  return found && !*found;
}

std::expected<void, FolderFault> result_of(const std::expected<void, FileError>& done) {
  if (!done) return system_fault(done.error());
  return {};
}

std::unexpected<FolderFault> lease_lost() {
  return std::unexpected(
      FolderFault{Failure::unavailable, "this writer was suspended for too long and lost its lease"});
}

constexpr std::int64_t stale_after_seconds = 3600;

std::int64_t seconds(std::int64_t nanoseconds) { return nanoseconds / 1'000'000'000; }

std::vector<std::string> names_in(int parent, const std::string& path) {
  std::vector<std::string> names;
  // If the folder cannot be listed, nothing is removed.
  [[maybe_unused]] const auto listed = list_folder(parent, path, [&names](std::string_view name) {
    names.emplace_back(name);
    return true;
  });
  return names;
}

}  // namespace

FolderWriter::~FolderWriter() {
  release_lease();
  if (own_path_.empty()) return;
  if (!lease_was_acquired_) {
    remove_tree(folder_, own_path_);
    return;
  }
  // remove_stale_files() removes what is left after an error.
  for (std::size_t i = 0; i < staged_count_; ++i) {
    [[maybe_unused]] const auto removed = remove_file(folder_, staged_file(own_path_, i));
  }
  [[maybe_unused]] const auto removed = remove_folder(folder_, own_path_);
}

std::expected<void, FolderFault> FolderWriter::stage(std::span<const Change> changes) {
  if (auto made = create_own_folder(); !made) return made;
  std::string inside = own_path_;
  inside.append("/").append(token_);
  const bool sync_together = changes.size() >= min_files_for_sync_all;
  for (const Change& change : changes) {
    // A removal renames the file of its key to the name of this empty file.
    const bool sync = change.value && !sync_together;
    const std::string path = staged_file(inside, staged_count_++);
    const auto written = create_file(folder_, path, change.value.value_or(""), sync);
    if (!written) return system_fault(written.error());
  }
  if (!sync_together) return {};
  return result_of(sync_all(folder_));
}

std::expected<void, FolderFault> FolderWriter::create_own_folder() {
  auto token = generate_token();
  if (!token) return std::unexpected(token.error());
  const std::string own = in_writers(*token);
  if (auto made = make_folder(folder_, own); !made) {
    if (!made.error().is_missing()) return system_fault(made.error());
    made = make_folder(folder_, std::string(writers_folder));
    if (!made && !made.error().is_occupied()) return system_fault(made.error());
    if (made = make_folder(folder_, own); !made) return system_fault(made.error());
  }
  token_ = std::move(*token);
  own_path_ = own;
  lease_path_ = in_lease(token_);
  std::string inside = own_path_;
  return result_of(make_folder(folder_, inside.append("/").append(token_)));
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
    const auto acquired = rename_file(folder_, own_path_, lease);
    if (acquired) {
      has_lease_ = lease_was_acquired_ = true;
      return refuse_older_programs();
    }
    if (!acquired.error().is_occupied()) return system_fault(acquired.error());
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
  const auto renamed =
      change.value ? rename_file(folder_, staged, name->c_str()) : rename_file(folder_, name->c_str(), staged);
  if (renamed || !renamed.error().is_missing()) return result_of(renamed);
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
  [[maybe_unused]] const auto released = rename_file(folder_, lease_path_, own_path_);
}

std::expected<void, FolderFault> FolderWriter::refuse_older_programs() {
  const std::string older_lease = in_writers(older_lease_name);
  for (int attempt = 0; attempt < max_refusals; ++attempt) {
    const auto found = stat_file(folder_, older_lease);
    if (found && *found && (*found)->kind != FileKind::folder) return {};
    remove_tree(folder_, older_lease);
    const auto created = create_file(folder_, older_lease, {}, false);
    if (!created && !created.error().is_occupied()) return system_fault(created.error());
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
  auto set = create_empty_file(folder_, made, size);
  if (set) set = rename_file(folder_, made, std::string(revision_name));
  if (set) return {};
  [[maybe_unused]] const auto removed = remove_file(folder_, made);
  if (set.error().is_missing()) return lease_lost();
  return system_fault(set.error());
}

std::expected<void, FolderFault> FolderWriter::sync_names(std::span<const Change> changes) {
  const auto synced = sync_folder(folder_);
  if (!synced) return system_fault(synced.error());
  if (*synced) return {};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    // If the file of a value does not exist, another writer has removed it since, and syncs that.
    const auto name = FileName::of_key(changes[i].key);
    const auto file_synced = sync_file(folder_, changes[i].value ? name->c_str() : staged_file(own_path_, i));
    if (!file_synced) return system_fault(file_synced.error());
  }
  return {};
}

std::string FolderWriter::staged_file(const std::string& folder_path, std::size_t index) const {
  return folder_path + '/' + std::to_string(index);
}

bool FolderWriter::holds_lease() const {
  const auto found = stat_file(folder_, lease_path_);
  return found && *found;
}

void remove_tree(int parent, const std::string& path) {
  if (remove_file(parent, path)) return;
  for (const std::string& name : names_in(parent, path)) {
    std::string inside = path;
    remove_tree(parent, inside.append("/").append(name));
  }
  [[maybe_unused]] const auto removed = remove_folder(parent, path);  // a writer may have come in between
}

void remove_stale_files(int folder) {
  const std::string writers(writers_folder);
  const auto now = stat_file(folder, writers);
  if (!now || !*now || (*now)->kind != FileKind::folder) return;
  for (const std::string& name : names_in(folder, writers)) {
    if (name == lease_name || name == older_lease_name) continue;
    std::string path = writers;
    path.append("/").append(name);
    const auto found = stat_file(folder, path);
    if (!found || !*found) continue;
    if (seconds((*now)->modified) - seconds((*found)->modified) > stale_after_seconds) remove_tree(folder, path);
  }
}

}  // namespace portail
