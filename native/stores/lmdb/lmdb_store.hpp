// The embedded store of the native server: one folder with `data.mdb` and `lock.mdb`, over LMDB
// (docs/reference/stores.md has its guarantees). Any thread. Several processes may use a folder concurrently, but each
// with one Store only, since LMDB's file locks belong to the process. Calls complete without suspending; writers wait
// for one another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/storage/key_value_store.hpp"
#include "native/stores/lmdb/lmdb_environment.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::lmdb {

static_assert(sizeof(std::size_t) == 8, "the map and the checks of the file require a 64-bit machine");

struct Options {
  // Create the folder (not its parents) and the store if they are missing.
  bool create = false;
  bool read_only = false;
  // For tools that read the whole store: release the pages that were read, so that resident memory stays small for a
  // store of any size.
  bool releases_pages = false;
  // The reserved address space, and the maximal size of the file, in bytes. Should be the same in all processes that
  // use the store.
  std::size_t map_size = std::size_t{64} << 30;
};

class Store final : public KeyValueStore {
 public:
  // Checks every page in use first. The error is one line that names the path and states what to do.
  static std::expected<std::unique_ptr<Store>, std::string> open(const std::filesystem::path& folder,
                                                                 const Options& options);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<portail::Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

  // Returns whether another process uses the store; the error is one line.
  [[nodiscard]] std::expected<bool, std::string> is_shared();

  // Writes one state of the store to the open file, in LMDB's format without free pages. The error is a phrase.
  std::expected<void, std::string> copy_to(int file);

 private:
  friend class Reader;
  friend class Session;
  using EnvironmentPtr = std::shared_ptr<Environment>;

  Store(std::filesystem::path folder, const Options& options) : folder_(std::move(folder)), options_(options) {
    if (options.releases_pages) page_releaser_.emplace();
  }

  // Opens the folder; the error is one line.
  std::expected<EnvironmentPtr, std::string> open_environment(const Options& options);
  // Returns the environment; opens it again if it was dropped. Fails with LMDB's code if it cannot be opened, or not
  // yet, and with `files_replaced` if the path leads to other files, which is checked at most once a second.
  std::expected<EnvironmentPtr, int> environment(Context& context);
  // Drops the environment if LMDB cannot continue: a write was incomplete, and its memory differs from the file.
  void close_if_broken(Context& context, const EnvironmentPtr& environment, int code);
  // Runs `change` in a write transaction, and commits if it returns 0. Returns its code or LMDB's.
  int transact(Context& context, const std::function<int(MDB_txn*, MDB_dbi)>& change);
  // Notes a value that was read from the map.
  void on_value_read(std::string_view value);

  const std::filesystem::path folder_;
  const Options options_;
  std::optional<PageReleaser> page_releaser_;
  std::atomic<bool> is_closed_ = true;  // no environment of this store is open
  std::mutex mutex_;                    // for the next three
  std::uint64_t openings_ = 0;          // of environments
  EnvironmentPtr environment_;          // null if it was dropped
  ReplacementCheck replacement_;
  std::atomic<std::int64_t> readers_checked_at_ = 0;  // seconds
};

}  // namespace portail::lmdb
