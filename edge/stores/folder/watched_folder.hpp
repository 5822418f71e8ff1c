// The store in a folder, read without waiting in the instance: a FolderStore whose sessions look at files that were
// read before (KnownValues) by wasi:filesystem 0.3, all at the same time, and read those that have changed. Every
// request looks itself: hosts spread requests over instances, so two of one instance seldom wait together.
//
// Looks end when the host's file system answers; like reading, they know no deadline. One thread.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/files/folder_fault.hpp"
#include "core/files/folder_store.hpp"
#include "core/files/known_values.hpp"
#include "core/storage/forwarding_store.hpp"
#include "edge/stores/folder/file_looks.hpp"

namespace portail::edge {

// A value as it was found: null where there is none.
using FoundValue = std::expected<KnownValues::SharedValue, FolderFault>;

class WatchedFolder final : public ForwardingStore {
 public:
  // `store` is of the folder at `path`, as the component sees it.
  WatchedFolder(std::unique_ptr<FolderStore> store, std::string path);

  Task<std::unique_ptr<Session>> open(Context& context) override;

  // For its sessions: each value as it is at some moment of the call; `found` has as many places as `keys`.
  Task<void> find(Context& context, std::span<const std::string_view> keys, std::span<FoundValue> found);

 private:
  // Waits in the instance. `key` is one.
  FoundValue read(std::string_view key);
  // The host's folder; null where the host has none that the path lies in.
  FolderOfHost* folder();

  std::unique_ptr<FolderStore> store_;
  std::string path_;
  bool looked_for_folder_ = false;
  std::optional<FolderOfHost> folder_;
  KnownValues values_;
};

}  // namespace portail::edge
