// One opening of an LMDB store: its map, and the read transactions that wait to be used again. Whoever reads or writes
// shares it. After a fault that LMDB cannot go on from, the store leaves it, and it is closed when the last of them has
// gone. Any thread. The functions give LMDB's result codes.
#pragma once

#include <atomic>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <lmdb.h>

namespace portail {

struct CloseLmdb {
  void operator()(MDB_env* environment) const { mdb_env_close(environment); }
};
using LmdbHandle = std::unique_ptr<MDB_env, CloseLmdb>;

class LmdbEnvironment {
 public:
  // `is_closed` is set once nothing of it is left, and outlives it.
  LmdbEnvironment(LmdbHandle handle, MDB_dbi database, std::atomic<bool>& is_closed);
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
  // Why nobody can read or write any more; 0 where they can.
  int fault();
  // How many slots of readers that died were cleared.
  int clear_stale_readers();

 private:
  LmdbHandle handle_;
  MDB_dbi database_;
  std::atomic<bool>& is_closed_;
  std::mutex idle_mutex_;
  std::vector<MDB_txn*> idle_readers_;
};

}  // namespace portail
