// A FolderStore that is served as long as its path leads to the folder that is open: where that was moved away, or
// another one was put in its place, reads are refused within a second, and no write is acknowledged. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "core/files/folder_store.hpp"
#include "core/storage/forwarding_store.hpp"
#include "native/stores/opened_file.hpp"
#include "native/stores/replacement_check.hpp"

namespace portail {

class PlacedFolderStore final : public ForwardingStore {
 public:
  // `opened` is the status of the store's folder.
  PlacedFolderStore(std::unique_ptr<FolderStore> store, std::string path, const struct stat& opened)
      : ForwardingStore(*store), store_(std::move(store)), folder_(std::move(path), opened) {}

  // Open as long as the store is.
  [[nodiscard]] int folder() const { return store_->folder(); }

  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  // Checks the path at most once a second.
  Result<void> check_now_and_then(Context& context);

  std::unique_ptr<FolderStore> store_;
  OpenedFile folder_;
  std::mutex mutex_;  // for the next
  ReplacementCheck replacement_;
};

}  // namespace portail
