// A store in a folder with one file for each key: its name is the key, its content the value. For components with a
// folder (WASI preview 1), for modules whose host has one (wasm/module/host_folder.hpp), and for the native program as
// dir:DIR; docs/reference/stores.md states its guarantees. Any thread. Any number of stores, processes and components
// may use a folder concurrently. Readers never wait; writers block their thread (folder_writer.hpp). A session whose
// first read finds the revision of the cached values reads no files of theirs (revision.hpp).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/storage/folder/descriptor.hpp"
#include "core/storage/folder/folder_check.hpp"
#include "core/storage/folder/revision.hpp"
#include "core/storage/key_value_store.hpp"
#include "core/storage/value_cache.hpp"

namespace portail {

struct FolderOptions {
  // Create the folder (not its parents) if it is missing. Check that it is writable and contains nothing but a store.
  bool create = false;
  bool read_only = false;
  // Check the type and size of every file when the store is opened.
  bool check_every_file = false;
  // The maximum time for which a writer may hold the lease while others wait; then they revoke it.
  std::chrono::milliseconds lease_timeout{5000};
  ValueCache::Limits cache{};
};

class FolderStore final : public KeyValueStore {
 public:
  // Opens the store. `revisions` reads its revision; null: by a blocking stat. The error is one line that names the
  // folder and states what to do.
  static std::expected<std::unique_ptr<FolderStore>, std::string> open(
      const std::string& folder, const FolderOptions& options, std::unique_ptr<RevisionReader> revisions = nullptr);

  // A store in an open folder, which is not checked. null `revisions`: as above.
  FolderStore(Descriptor folder, const FolderOptions& options, std::unique_ptr<RevisionReader> revisions = nullptr)
      : folder_(std::move(folder)), options_(options), revisions_(std::move(revisions)), cache_(options.cache) {}

  [[nodiscard]] Traits traits() const override;
  // The descriptor of the folder; valid as long as the store.
  [[nodiscard]] int folder() const { return folder_.number(); }
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  // Each value is read when it is visited.
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

  // For sessions.
  [[nodiscard]] ValueCache& cache() { return cache_; }

 private:
  // Applies the changes; on success they are durable.
  std::expected<void, FolderFault> apply(Context& context, std::span<const Change> changes);
  // Returns whether the value was `expected`, so that the change was applied.
  std::expected<bool, FolderFault> swap(Context& context, const Change& change, Value expected);
  std::expected<bool, FolderFault> value_equals(std::string_view key, Value expected);
  std::expected<void, FolderFault> check_writable(std::span<const Change> changes) const;
  void clean_up_if_due();

  Descriptor folder_;
  FolderOptions options_;
  std::unique_ptr<RevisionReader> revisions_;
  ValueCache cache_;
  std::atomic<std::int64_t> last_cleanup_ = 0;  // seconds of the monotonic clock; 0: never
};

}  // namespace portail
