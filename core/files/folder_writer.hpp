// One write to the folder, as it must be where there are no file locks (WASI has none) and where any writer may be
// killed or suspended at any point.
//
// A writer first makes a folder of its own, ~writers/TOKEN/TOKEN, with one file for each change, written and synced.
// Then it takes the one lease of the store, by renaming ~writers/TOKEN to ~writers/lease: the file system lets that
// happen only where no lease is there, or an empty one, so exactly one writer gets it, with its files inside. Only now
// it compares, and renames its files out of ~writers/lease/TOKEN to their keys. It gives the lease back by taking
// TOKEN out of it.
//
// A writer that waits for a holder which does not finish takes that holder's TOKEN out itself, by the same rename. From
// then on that holder's paths are gone: when it resumes, each of its remaining renames fails. So no clock decides
// whether a compare-and-swap is right, only how long others wait behind a writer that was killed.
//
// One thread; any number of writers, in any number of processes and components.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/files/folder_fault.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class FolderWriter {
 public:
  // `folder` is the store's, open for as long as this lives.
  explicit FolderWriter(int folder) : folder_(folder) {}
  FolderWriter(const FolderWriter&) = delete;
  FolderWriter& operator=(const FolderWriter&) = delete;
  // Gives the lease back, and removes what it has made and not used.
  ~FolderWriter();

  // Makes the files of all changes; readers do not see them yet. Once, before everything else.
  std::expected<void, FolderFault> stage(std::span<const Change> changes);

  // Waits for the lease: until context.deadline, and for one holder no longer than `patience`.
  std::expected<void, FolderFault> take_lease(Context& context, std::chrono::milliseconds patience);

  // Makes the change that was staged as number `index`. With the lease.
  std::expected<void, FolderFault> make(std::size_t index, const Change& change);

  void give_lease_back();

  // Returns once what was made would survive a power loss. After the lease: others need not wait for the disk.
  std::expected<void, FolderFault> sync_names(std::span<const Change> changes);

 private:
  [[nodiscard]] std::string staged_file(const std::string& inside, std::size_t index) const;
  // Whether the lease is still this writer's.
  [[nodiscard]] bool holds_lease() const;
  std::expected<void, FolderFault> make_own_folder();
  std::expected<void, FolderFault> write_file(const std::string& path, std::string_view bytes, bool sync);

  int folder_;
  std::string token_;
  std::string own_;   // ~writers/TOKEN
  std::string held_;  // ~writers/lease/TOKEN
  std::size_t staged_ = 0;
  bool has_lease_ = false;
  bool had_lease_ = false;
};

}  // namespace portail
