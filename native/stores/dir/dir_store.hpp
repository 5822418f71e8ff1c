// A FolderStore that is served only while its path leads to the open folder. If the folder was moved away or replaced,
// reads are refused within a second, and no write is acknowledged. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "core/storage/folder/folder_store.hpp"
#include "core/storage/forwarding_store.hpp"
#include "native/stores/folder_use.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::dir {

class Store final : public ForwardingStore {
 public:
  // `opened` is the status of the store's folder.
  Store(std::unique_ptr<FolderStore> store, std::string path, const struct stat& opened)
      : ForwardingStore(*store), store_(std::move(store)), folder_(std::move(path), opened) {}

  // Returns a descriptor of the folder, which is open as long as the store.
  [[nodiscard]] int folder() const { return store_->folder(); }
  [[nodiscard]] CacheCounts cache_counts() { return store_->cache().counts(); }

  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  // Checks the path at most once a second.
  Result<void> check_path(Context& context);

  std::unique_ptr<FolderStore> store_;
  OpenedFile folder_;
  std::mutex mutex_;  // guards the next member
  ReplacementCheck replacement_;
};

// dir:DIR, with one file for each key: the functions of its row in native/stores/store_url.cpp.

OpenedStore open_store(std::string_view folder, StoreAccess access);
std::expected<bool, std::string> is_shared(KeyValueStore& store);
std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view folder);
CacheCounts cache_counts(KeyValueStore& store);

}  // namespace portail::dir
