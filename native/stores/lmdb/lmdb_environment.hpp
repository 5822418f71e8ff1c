// One opening of an LMDB store: its map, and the read transactions that wait to be used again. All readers and writers
// share it. After a fault that LMDB cannot go on from, the store leaves it, and it is closed when the last of them has
// gone. Any thread. The functions give LMDB's result codes.
#pragma once

#include <atomic>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <lmdb.h>

#include "core/files/descriptor.hpp"
#include "native/stores/opened_file.hpp"

namespace portail {

struct CloseLmdb {
  void operator()(MDB_env* environment) const { mdb_env_close(environment); }
};
using LmdbHandle = std::unique_ptr<MDB_env, CloseLmdb>;

// What an opening holds: the folder, which says that the store is in use (native/stores/folder_use.hpp), and the files
// in it that LMDB has open.
struct OpenedFolder {
  OpenedFolder(Descriptor opened, std::filesystem::path data_path, const struct stat& data_status)
      : folder(std::move(opened)), data(std::move(data_path), data_status) {}

  Descriptor folder;
  OpenedFile data;
  std::optional<OpenedFile> lock;  // absent on a file system that takes no writes
};

class LmdbEnvironment {
 public:
  // `is_closed` is set once LMDB has closed it, and outlives it.
  LmdbEnvironment(LmdbHandle handle, MDB_dbi database, std::unique_ptr<OpenedFolder> opened,
                  std::atomic<bool>& is_closed);
  LmdbEnvironment(const LmdbEnvironment&) = delete;
  LmdbEnvironment& operator=(const LmdbEnvironment&) = delete;
  ~LmdbEnvironment();

  [[nodiscard]] MDB_dbi database() const { return database_; }

  // A read transaction of the state as of now, from the idle ones where possible: a renewed one takes no lock and
  // allocates nothing.
  std::expected<MDB_txn*, int> take_reader();
  void give_back(MDB_txn* reader);
  // Runs `change` in a write transaction and commits where it gives 0; its code or LMDB's.
  int transact(const std::function<int(MDB_txn*)>& change);
  // Writes what there is at this moment to the open file, without free pages.
  int copy_to(int file) { return mdb_env_copyfd2(handle_.get(), file, MDB_CP_COMPACT); }
  // Why reads and writes fail from now on; 0 where they do not.
  int fault();
  // Why its files are no longer those at the store's path, as one line; nothing where they are.
  std::optional<std::string> replaced();
  // Whether another process uses the store too; the system's code where it does not tell.
  [[nodiscard]] std::expected<bool, int> is_shared() const;
  // How many slots of readers that died were cleared.
  int clear_stale_readers();

 private:
  std::unique_ptr<OpenedFolder> opened_;
  LmdbHandle handle_;
  MDB_dbi database_;
  std::atomic<bool>& is_closed_;
  std::mutex idle_mutex_;
  std::vector<MDB_txn*> idle_readers_;
};

}  // namespace portail
