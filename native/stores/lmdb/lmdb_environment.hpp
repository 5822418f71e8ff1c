// An open LMDB file, and the memory of its pages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lmdb.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/folder_use.hpp"

namespace portail::lmdb {

// Releases the pages of a mapped file that a scan of the whole file has read, at intervals, so that they do not add up
// in the resident memory of the process. Any thread.

class PageReleaser {
 public:
  // Notes a value that was read. It must be in a read-only shared map, the same one for all calls. Its bytes stay
  // valid.
  void add(std::string_view value);

 private:
  std::mutex mutex_;
  std::uintptr_t begin_ = std::numeric_limits<std::uintptr_t>::max();
  std::uintptr_t end_ = 0;
  std::size_t bytes_ = 0;
};

// One opening of an LMDB store: its map, and the idle read transactions. All readers and writers share it. After a
// fault from which LMDB cannot recover, the store drops it, and it is closed with its last reader or writer. Any
// thread. The functions return LMDB's result codes.

struct CloseEnvironment {
  void operator()(MDB_env* environment) const { mdb_env_close(environment); }
};
using EnvironmentHandle = std::unique_ptr<MDB_env, CloseEnvironment>;

// The folder, which is marked as used (native/stores/folder_use.hpp), and the files in it that LMDB has open.
struct OpenedFolder {
  OpenedFolder(Descriptor opened, std::filesystem::path data_path, const struct stat& data_status)
      : folder(std::move(opened)), data(std::move(data_path), data_status) {}

  Descriptor folder;
  OpenedFile data;
  std::optional<OpenedFile> lock;  // absent on a read-only file system
};

class Environment {
 public:
  // `number` differs for each opening of a store. `is_closed` is set once LMDB has closed the environment, and must
  // outlive it.
  Environment(EnvironmentHandle handle, MDB_dbi database, std::unique_ptr<OpenedFolder> opened, std::uint64_t number,
              std::atomic<bool>& is_closed);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();

  [[nodiscard]] MDB_dbi database() const { return database_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

  // Returns a read transaction of the current state. Reuses an idle one if possible: renewing takes no lock and
  // allocates nothing.
  std::expected<MDB_txn*, int> acquire_reader();
  void release_reader(MDB_txn* reader);
  // Runs `change` in a write transaction, and commits if it returns 0. Returns its code or LMDB's.
  int transact(const std::function<int(MDB_txn*)>& change);
  // Writes the current state to the open file, without free pages.
  int copy_to(int file) { return mdb_env_copyfd2(handle_.get(), file, MDB_CP_COMPACT); }
  // Returns the code with which reads and writes fail from now on; 0 if they do not.
  int fault();
  // Returns why its files are no longer those at the store's path, as one line; nullopt if they are.
  std::optional<std::string> replaced();
  // Returns whether another process uses the store; fails with an errno value.
  [[nodiscard]] std::expected<bool, int> is_shared() const;
  // Clears the slots of readers that died; returns their number.
  int clear_stale_readers();

 private:
  std::unique_ptr<OpenedFolder> opened_;
  EnvironmentHandle handle_;
  MDB_dbi database_;
  const std::uint64_t number_;
  std::atomic<bool>& is_closed_;
  std::mutex idle_mutex_;
  std::vector<MDB_txn*> idle_readers_;
};

}  // namespace portail::lmdb
