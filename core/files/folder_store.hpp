// The store in a folder: one file a key, its name the key, its bytes the value. For components that were given a folder
// (WASI preview 1), and for the native program as dir:DIR; what it promises is in docs/reference/stores.md. Any thread;
// any number of stores on one folder at once, in any number of processes and components. Readers never wait; writers
// wait for one another as folder_writer.hpp describes, blocking their thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/files/descriptor.hpp"
#include "core/files/folder_fault.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

struct FolderOptions {
  // Make the folder (not its parents) where it is missing, and see to it that it may be written to and holds nothing
  // else than a store.
  bool create = false;
  bool read_only = false;
  // Look at every file before trusting the store.
  bool check_every_file = false;
  // How long writers wait for one that holds the lease and does not give it back, before they go on without it.
  std::chrono::milliseconds patience{5000};
};

class FolderStore final : public KeyValueStore {
 public:
  // The error is one line that names the folder and says what to do.
  static std::expected<std::unique_ptr<FolderStore>, std::string> open(const std::string& folder,
                                                                       const FolderOptions& options);

  [[nodiscard]] Traits traits() const override;
  // Open as long as the store is.
  [[nodiscard]] int folder() const { return folder_.number(); }
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  // Values as they are when the scan comes to them.
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  FolderStore(Descriptor folder, const FolderOptions& options) : folder_(std::move(folder)), options_(options) {}

  // Without a fault: made, and durable.
  std::expected<void, FolderFault> change(Context& context, std::span<const Change> changes);
  // Whether the value was as expected.
  std::expected<bool, FolderFault> swap(Context& context, const Change& change, Value expected);
  std::expected<bool, FolderFault> is_as_expected(std::string_view key, Value expected);
  std::expected<void, FolderFault> may_write(std::span<const Change> changes) const;
  void clean_up_now_and_then();

  Descriptor folder_;
  FolderOptions options_;
  std::atomic<std::int64_t> cleaned_at_ = 0;  // seconds of the monotonic clock; 0: never
};

}  // namespace portail
