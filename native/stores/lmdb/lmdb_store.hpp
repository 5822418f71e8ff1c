// The embedded store of the native server: one folder, `data.mdb` and `lock.mdb`, over LMDB. What it promises is in
// docs/reference/stores.md. Any thread; several processes at once, but one LmdbStore per folder in a process (LMDB's
// file locks belong to the process). Calls answer at once; writers wait for one another.
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
#include "native/stores/lmdb/passed_pages.hpp"
#include "native/stores/replacement_check.hpp"

namespace portail {

static_assert(sizeof(std::size_t) == 8, "the map and the checks of the file are made for 64-bit machines");

struct LmdbOptions {
  // Make the folder (not its parents) and the store where they are missing.
  bool create = false;
  bool read_only = false;
  // For tools that pass over the whole store: pages of the file that were read are given back to the kernel along the
  // way, so that resident memory stays small however large the store is.
  bool gives_pages_back = false;
  // Address space that is reserved, and the size the file can grow to. Every process that opens the store at the same
  // time should have the same.
  std::size_t map_size = std::size_t{64} << 30;
};

class LmdbStore final : public KeyValueStore {
 public:
  // Walks every page in use before it trusts the file. The error is one line that names the path and says what to do.
  static std::expected<std::unique_ptr<LmdbStore>, std::string> open(const std::filesystem::path& folder,
                                                                     const LmdbOptions& options);
  LmdbStore(const LmdbStore&) = delete;
  LmdbStore& operator=(const LmdbStore&) = delete;

  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

  // Whether another process uses the store too; the error is one line.
  [[nodiscard]] std::expected<bool, std::string> is_shared();

  // Writes the store as it is at one moment to the open file, as LMDB's own file without free pages. The error is why
  // not, in a few words.
  std::expected<void, std::string> copy_to(int file);

 private:
  friend class LmdbReader;
  friend class LmdbSession;
  using Environment = std::shared_ptr<LmdbEnvironment>;

  LmdbStore(std::filesystem::path folder, const LmdbOptions& options) : folder_(std::move(folder)), options_(options) {
    if (options.gives_pages_back) passed_pages_.emplace();
  }

  // Opens the folder; the error is one line.
  std::expected<Environment, std::string> open_environment(const LmdbOptions& options);
  // What is open; it is opened again if it was left. LMDB's result code where that cannot be, or not yet;
  // `was_replaced` where the path leads to other files, which is checked at most once a second.
  std::expected<Environment, int> environment(Context& context);
  // Leaves it where LMDB says that it cannot go on: a write of its own failed half-way, and its memory is not the file.
  void leave_if_lost(Context& context, const Environment& environment, int code);
  // Runs `change` in a write transaction and commits where it gives 0; its code or LMDB's.
  int transact(Context& context, const std::function<int(MDB_txn*, MDB_dbi)>& change);
  // A read came by this value, where LMDB keeps it.
  void passed(std::string_view value);

  const std::filesystem::path folder_;
  const LmdbOptions options_;
  std::optional<PassedPages> passed_pages_;
  std::atomic<bool> is_closed_ = true;  // no environment of this store is left
  std::mutex mutex_;                    // for the next two
  Environment environment_;             // null where it was left
  ReplacementCheck replacement_;
  std::atomic<std::int64_t> readers_checked_at_ = 0;  // seconds
};

}  // namespace portail
