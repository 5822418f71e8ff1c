#include "native/stores/lmdb/lmdb_environment.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <sys/mman.h>

#include "native/stores/folder_use.hpp"

namespace portail::lmdb {
namespace {

constexpr std::uintptr_t min_page_size_of_memory = 4096;
constexpr std::size_t max_unreleased_bytes = std::size_t{32} << 20;

}  // namespace

void PageReleaser::add(std::string_view value) {
  const auto address = reinterpret_cast<std::uintptr_t>(value.data());
  const std::lock_guard lock(mutex_);
  begin_ = std::min(begin_, address / min_page_size_of_memory * min_page_size_of_memory);
  end_ = std::max(end_, address + value.size());
  bytes_ += value.size();
  if (bytes_ < max_unreleased_bytes) return;
  // The bytes stay in the file and in the kernel's cache, and are mapped again when they are read.
  madvise(reinterpret_cast<void*>(begin_), end_ - begin_, MADV_DONTNEED);
  begin_ = std::numeric_limits<std::uintptr_t>::max();
  end_ = 0;
  bytes_ = 0;
}

namespace {

// Bounds the slots that this process keeps after a burst of sessions.
constexpr std::size_t max_idle_readers = 64;

}  // namespace

Environment::Environment(EnvironmentHandle handle, MDB_dbi database, std::unique_ptr<OpenedFolder> opened,
                         std::uint64_t number, std::atomic<bool>& is_closed)
    : opened_(std::move(opened)),
      handle_(std::move(handle)),
      database_(database),
      number_(number),
      is_closed_(is_closed) {
  is_closed_ = false;
}

Environment::~Environment() {
  for (MDB_txn* reader : idle_readers_) mdb_txn_abort(reader);
  handle_.reset();
  is_closed_ = true;
}

std::expected<MDB_txn*, int> Environment::acquire_reader() {
  MDB_txn* reader = nullptr;
  {
    const std::lock_guard lock(idle_mutex_);
    if (!idle_readers_.empty()) {
      reader = idle_readers_.back();
      idle_readers_.pop_back();
    }
  }
  if (reader) {
    const int code = mdb_txn_renew(reader);
    if (code == 0) return reader;
    mdb_txn_abort(reader);
    return std::unexpected(code);
  }
  int code = mdb_txn_begin(handle_.get(), nullptr, MDB_RDONLY, &reader);
  if (code == MDB_READERS_FULL && clear_stale_readers() > 0) {
    code = mdb_txn_begin(handle_.get(), nullptr, MDB_RDONLY, &reader);
  }
  if (code != 0) return std::unexpected(code);
  return reader;
}

void Environment::release_reader(MDB_txn* reader) {
  mdb_txn_reset(reader);
  {
    const std::lock_guard lock(idle_mutex_);
    if (idle_readers_.size() < max_idle_readers) {
      idle_readers_.push_back(reader);
      return;
    }
  }
  mdb_txn_abort(reader);
}

int Environment::transact(const std::function<int(MDB_txn*)>& change) {
  MDB_txn* transaction = nullptr;
  if (int code = mdb_txn_begin(handle_.get(), nullptr, 0, &transaction)) return code;
  if (int code = change(transaction)) {
    mdb_txn_abort(transaction);
    return code;
  }
  return mdb_txn_commit(transaction);  // always frees the transaction; returns 0 once the data are synced
}

int Environment::fault() {
  const auto reader = acquire_reader();
  if (!reader) return reader.error();
  release_reader(*reader);
  return 0;
}

std::optional<std::string> Environment::replaced() {
  auto fault = opened_->data.fault();
  return fault || !opened_->lock ? fault : opened_->lock->fault();
}

std::expected<bool, int> Environment::is_shared() const { return is_folder_used(opened_->folder.number()); }

int Environment::clear_stale_readers() {
  int cleared = 0;
  return mdb_reader_check(handle_.get(), &cleared) == 0 ? cleared : 0;
}

}  // namespace portail::lmdb
