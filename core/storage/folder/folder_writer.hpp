// One write to the folder. The protocol needs no file locks (WASI has none), and any writer may be killed or suspended
// at any point.
//
// Stage: the writer creates the folder ~writers/TOKEN/TOKEN with one file for each change, written and synced.
// Acquire: it renames ~writers/TOKEN to ~writers/holder. The rename succeeds only if there is no lease, or an empty
// one; so exactly one writer holds the lease, with its files inside. It compares values only now. Apply: it renames its
// files from ~writers/holder/TOKEN to their keys. Release: it moves TOKEN out of the lease.
//
// If the holder does not finish, a waiting writer revokes the lease: it removes the holder's files and TOKEN. If the
// holder resumes, each of its remaining renames fails. The correctness of a compare-and-swap therefore depends on no
// clock; only the time that others wait for a killed writer does.
//
// Revision: before its first change of a value that readers cache, the holder makes the revision odd, and before it
// releases the lease it makes it even (revision.hpp), by files that it renames from ~writers/holder/TOKEN too. A holder
// that was killed leaves an odd one, which the next holder makes even.
//
// One thread; any number of writers, in any number of processes and components.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/storage/folder/folder_check.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class FolderWriter {
 public:
  // `folder` is the store's descriptor, which must stay open while this object exists.
  explicit FolderWriter(int folder) : folder_(folder) {}
  FolderWriter(const FolderWriter&) = delete;
  FolderWriter& operator=(const FolderWriter&) = delete;
  // Releases the lease and removes the unused files.
  ~FolderWriter();

  // Creates the files of all changes, which readers do not see. Must be the first call, and the only one.
  std::expected<void, FolderFault> stage(std::span<const Change> changes);

  // Waits for the lease, until context.deadline. Revokes it from a holder that keeps it longer than `lease_timeout`.
  std::expected<void, FolderFault> acquire_lease(Context& context, std::chrono::milliseconds lease_timeout);

  // Applies the change that was staged as number `index`. Requires the lease. The first change of a key that is not
  // volatile begins a revision.
  std::expected<void, FolderFault> apply(std::size_t index, const Change& change);

  // Ends the revision. If that fails, readers read each file until the next write.
  void release_lease();

  // Makes the applied changes durable. To be called after release_lease(), so that other writers do not wait for the
  // disk.
  std::expected<void, FolderFault> sync_names(std::span<const Change> changes);

 private:
  [[nodiscard]] std::string staged_file(const std::string& folder_path, std::size_t index) const;
  // Returns whether this writer still holds the lease.
  [[nodiscard]] bool holds_lease() const;
  std::expected<void, FolderFault> create_own_folder();
  // Replaces the lease of programs that do not know revisions by a file. A holder of theirs loses it.
  std::expected<void, FolderFault> refuse_older_programs();
  std::expected<void, FolderFault> begin_revision();
  // Makes an odd revision even, also one that a killed writer left. If that fails, it stays odd.
  void end_revision();
  // Replaces ~revision by a file of `size` bytes. Fails if another writer has revoked the lease.
  std::expected<void, FolderFault> set_revision(std::uint64_t size);

  int folder_;
  std::string token_;
  std::string own_path_;    // ~writers/TOKEN
  std::string lease_path_;  // ~writers/holder/TOKEN
  std::size_t staged_count_ = 0;
  std::uint64_t revision_ = 0;  // the odd one while this writer is at work; 0: not begun
  bool has_lease_ = false;
  bool lease_was_acquired_ = false;
};

// Removes a file, or a folder with its contents. Errors are ignored.
void remove_tree(int parent, const std::string& path);

// Removes the files of writers that have not changed for an hour. The current time is that of the last change of the
// writers' folder, so the caller must have just written there. If a writer resumes after that, it fails.
void remove_stale_files(int folder);

}  // namespace portail
