// A FolderStore with a ValueCache. Its sessions stat the cached files by wasi:filesystem 0.3, concurrently and without
// blocking the instance, and read only files that have changed. Requests do not share a stat: hosts spread requests
// over instances, so two requests of one instance seldom wait at the same time.
//
// Like reads, stats have no deadline. One thread.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/files/folder_fault.hpp"
#include "core/files/folder_store.hpp"
#include "core/files/value_cache.hpp"
#include "core/storage/forwarding_store.hpp"
#include "edge/stores/folder/file_stat.hpp"

namespace portail::edge {

// A value, or null if the key has none.
using FoundValue = std::expected<ValueCache::SharedValue, FolderFault>;

class CachedFolderStore final : public ForwardingStore {
 public:
  // `path` is the path of the store's folder inside the component.
  CachedFolderStore(std::unique_ptr<FolderStore> store, std::string path);

  Task<std::unique_ptr<Session>> open(Context& context) override;

  // For sessions. Sets each element of `found` to the value of the key at some time during the call. `found` has the
  // size of `keys`.
  Task<void> find(Context& context, std::span<const std::string_view> keys, std::span<FoundValue> found);

 private:
  // Blocks the instance. `key` must be valid.
  FoundValue read(std::string_view key);
  // Returns the preopened folder that contains path_, or null.
  PreopenedFolder* folder();

  std::unique_ptr<FolderStore> store_;
  std::string path_;
  bool folder_checked_ = false;
  std::optional<PreopenedFolder> folder_;
  ValueCache cache_;
};

}  // namespace portail::edge
