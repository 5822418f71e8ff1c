// The embedded store of the native server: one folder, `data.mdb` and `lock.mdb`, over LMDB. What it promises is in
// docs/stores.md. Any thread; several processes at once, but one LmdbStore per folder in a process (LMDB's file locks
// belong to the process). Calls answer at once; writers wait for one another.
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
#include <vector>

#include <lmdb.h>

#include "core/storage/key_value_store.hpp"
#include "native/stores/lmdb/passed_pages.hpp"

namespace portail {

static_assert(sizeof(std::size_t) == 8, "the map and the checks of the file are made for 64-bit machines");

struct LmdbOptions {
  // Make the folder (not its parents) and the store where they are missing.
  bool create = false;
  bool read_only = false;
  // Look at every page before trusting the file, not only at the inner ones of its tree.
  bool check_every_page = false;
  // For tools that pass over the whole store: pages of the file that were read are given back to the kernel along the
  // way, so that resident memory stays small however large the store is.
  bool gives_pages_back = false;
  // Address space that is reserved, and the size the file can grow to. Every process that opens the store at the same
  // time should have the same.
  std::size_t map_size = std::size_t{64} << 30;
};

class LmdbStore final : public KeyValueStore {
 public:
  // The error is one line that names the path and says what to do.
  static std::expected<std::unique_ptr<LmdbStore>, std::string> open(const std::filesystem::path& folder,
                                                                     const LmdbOptions& options);
  LmdbStore(const LmdbStore&) = delete;
  LmdbStore& operator=(const LmdbStore&) = delete;
  ~LmdbStore() override;

  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  friend class LmdbReader;
  friend class LmdbSession;
  struct CloseEnvironment {
    void operator()(MDB_env* environment) const { mdb_env_close(environment); }
  };
  using Environment = std::unique_ptr<MDB_env, CloseEnvironment>;

  LmdbStore(Environment environment, MDB_dbi database, bool gives_pages_back)
      : environment_(std::move(environment)), database_(database) {
    if (gives_pages_back) passed_pages_.emplace();
  }

  // A read transaction of the state as of now, from the idle ones where possible; LMDB's result code if there is none.
  std::expected<MDB_txn*, int> take_reader();
  void give_back(MDB_txn* reader);
  // Runs `change` in a write transaction and commits where it gives 0; its code or LMDB's.
  int transact(Context& context, const std::function<int(MDB_txn*)>& change);
  int transact_once(const std::function<int(MDB_txn*)>& change);
  int clear_stale_readers();
  // A read came by this value, where LMDB keeps it.
  void passed(std::string_view value);

  Environment environment_;
  MDB_dbi database_;
  std::mutex idle_mutex_;
  std::vector<MDB_txn*> idle_readers_;
  std::optional<PassedPages> passed_pages_;
  std::atomic<std::int64_t> readers_checked_at_ = 0;  // seconds
};

}  // namespace portail
