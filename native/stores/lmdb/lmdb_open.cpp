// Opening of a Store: an unsuitable folder or file is reported here, in one line, before LMDB maps the file.
#include <cerrno>
#include <chrono>
#include <cstring>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/stores/folder_use.hpp"
#include "native/stores/lmdb/lmdb_meta.hpp"
#include "native/stores/lmdb/lmdb_pages.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"
#include "native/system/atomic_file.hpp"

namespace portail::lmdb {
namespace {

// Concurrent sessions of all processes: more than a server has connections. A slot takes 64 bytes of lock.mdb.
constexpr unsigned max_readers = 16 * 1024;
// Snapshots tried while commits of other processes come between a snapshot and the check of its meta page.
constexpr int max_snapshots = 100;
constexpr std::chrono::seconds closing_grace_period{1};
// The size of lock.mdb, in bytes: these slots, and LMDB's two mutexes, of 64 bytes each.
constexpr off_t lock_file_size = (off_t{max_readers} + 2) * 64;

std::unexpected<std::string> fault(const std::filesystem::path& path, std::string_view what) {
  return std::unexpected(path.string() + ' ' + std::string(what));
}

// What to do about files of another user than the folder's, such as those that root wrote.
std::string owner_advice(const std::filesystem::path& folder, int code) {
  return code == EACCES ? "; if the files belong to another user than their folder, run: " + owner_hint(folder)
                        : std::string();
}

// Opens the folder; creates a missing one if `create`.
std::expected<Descriptor, std::string> open_folder(const std::filesystem::path& folder, bool create) {
  if (create && mkdir(folder.c_str(), 0700) == 0) {
    const auto parent = folder.has_parent_path() ? folder.parent_path() : std::filesystem::path(".");
    // Without this the new folder's name might not survive a power loss that its contents survive.
    if (Descriptor above(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); above) fsync(above.number());
  } else if (create && errno != EEXIST) {
    if (errno == ENOENT) return fault(folder, "cannot be created: its parent folder does not exist: create it first");
    return fault(folder, std::string("cannot be created: ") + std::strerror(errno));
  }
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) return opened;
  if (errno == ENOENT) return fault(folder, "does not exist: import a document into it first, or name another store");
  if (errno == ENOTDIR) return fault(folder, "is not a folder: an LMDB store is one, name another path");
  return fault(folder, std::string("cannot be opened: ") + std::strerror(errno));
}

// Opens and checks the data file. Returns an empty descriptor if the file does not exist yet and may be created.
std::expected<Descriptor, std::string> open_data_file(const Descriptor& folder, const std::filesystem::path& path,
                                                      const Options& options) {
  Descriptor data(openat(folder.number(), "data.mdb", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!data) {
    if (const int code = errno; code != ENOENT)
      return fault(path / "data.mdb",
                   std::string("cannot be opened: ") + std::strerror(code) + owner_advice(path, code));
    if (options.create && !options.read_only) return data;
    return fault(path, "holds no store (no data.mdb): import a document into it first, or name another store");
  }
  struct stat status{};
  if (fstat(data.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fault(path / "data.mdb", "is not a regular file: name another store");
  }
  if (status.st_size == 0) {
    return fault(path / "data.mdb", "is empty: restore it from a backup, or remove it to start with an empty store");
  }
  if (auto metas = read_metas(data.number()); !metas) return fault(path / "data.mdb", metas.error());
  return data;
}

// Allocates the blocks of lock.mdb. LMDB writes to it through its map, where a full disk would end the process by
// SIGBUS. LMDB reports other faults of the file when it opens it.
std::expected<void, std::string> allocate_lock_file(const Descriptor& folder, const std::filesystem::path& path) {
  const Descriptor lock(openat(folder.number(), "lock.mdb", O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!lock || fallocate(lock.number(), 0, 0, lock_file_size) == 0 || (errno != ENOSPC && errno != EDQUOT)) return {};
  return fault(path / "lock.mdb", std::string("cannot be extended to 1 MiB: ") + std::strerror(errno));
}

// Returns whether a process has this lock.mdb open with LMDB, which locks its first byte.
bool is_lock_file_used(const Descriptor& folder) {
  const Descriptor file(openat(folder.number(), "lock.mdb", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  return file && fcntl(file.number(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Fails if a process uses the store and one of its files was moved away or replaced. A new data.mdb would be another
// store, and with a new lock.mdb two processes would write to one store at the same time.
std::expected<void, std::string> check_files_in_place(const Descriptor& folder, const std::filesystem::path& path) {
  struct statvfs system{};
  if (fstatvfs(folder.number(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0)
    return {};  // no file is created there
  const auto is_missing = [&folder](const char* file) {
    struct stat status{};
    return fstatat(folder.number(), file, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
  };
  const char* const missing = is_missing("data.mdb") ? "data.mdb" : is_missing("lock.mdb") ? "lock.mdb" : nullptr;
  // A process that is closing the store releases lock.mdb first.
  const auto end = std::chrono::steady_clock::now() + closing_grace_period;
  while (true) {
    const auto used = is_folder_used(folder.number());
    if (!used) return fault(path, std::string("cannot be locked: ") + std::strerror(used.error()));
    if (!*used || (!missing && is_lock_file_used(folder))) return {};
    if (std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return fault(path / (missing ? missing : "lock.mdb"),
               std::string(missing ? "was moved away" : "was replaced") +
                   " under a process that uses the store: stop that process first");
}

struct AbortTransaction {
  void operator()(MDB_txn* transaction) const { mdb_txn_abort(transaction); }
};
struct OpenedSnapshot {
  EnvironmentHandle handle;
  std::unique_ptr<MDB_txn, AbortTransaction> reader;
};

// Opens the store and a snapshot of it; fails with LMDB's result code.
std::expected<OpenedSnapshot, int> begin(const std::filesystem::path& folder, const Options& options) {
  MDB_env* created = nullptr;
  int code = mdb_env_create(&created);
  EnvironmentHandle handle(created);
  if (code == 0) code = mdb_env_set_mapsize(created, options.map_size);
  if (code == 0) code = mdb_env_set_maxreaders(created, max_readers);
  // No flag that weakens durability. Readers belong to sessions, not to threads.
  if (code == 0) code = mdb_env_open(created, folder.c_str(), MDB_NOTLS | (options.read_only ? MDB_RDONLY : 0), 0600);
  MDB_txn* reader = nullptr;
  if (code == 0) code = mdb_txn_begin(created, nullptr, MDB_RDONLY, &reader);
  if (code != 0) return std::unexpected(code);
  return OpenedSnapshot{.handle = std::move(handle), .reader = decltype(OpenedSnapshot::reader)(reader)};
}

// Checks every page of a snapshot: the reader's or a later one.
std::expected<void, FileFault> check_snapshot(MDB_env* handle, MDB_txn* reader) {
  int data = -1;  // the mapped file
  mdb_env_get_fd(handle, &data);
  for (int attempt = 0; attempt < max_snapshots; ++attempt) {
    const auto checked = check_pages(data, mdb_txn_id(reader));
    if (!checked) return std::unexpected(checked.error());
    if (*checked == PageCheckResult::all) return {};
    mdb_txn_reset(reader);
    if (const int code = mdb_txn_renew(reader)) return std::unexpected(std::string(mdb_strerror(code)));
  }
  return std::unexpected(
      "is at another commit than lock.mdb: stop every process that uses the store, and remove lock.mdb");
}

// Records the files that LMDB has open, and their paths.
std::expected<std::unique_ptr<OpenedFolder>, std::string> record_files(MDB_env* handle, Descriptor folder,
                                                                       const std::filesystem::path& path) {
  int data = -1;
  struct stat status{};
  if (mdb_env_get_fd(handle, &data) != 0 || fstat(data, &status) != 0) {
    return fault(path / "data.mdb", std::string("cannot be reached: ") + std::strerror(errno));
  }
  const int number = folder.number();
  auto opened = std::make_unique<OpenedFolder>(std::move(folder), path / "data.mdb", status);
  if (fstatat(number, "lock.mdb", &status, 0) == 0) opened->lock.emplace(path / "lock.mdb", status);
  return opened;
}

std::string opening_error(const std::filesystem::path& folder, int code, const Options& options) {
  const std::string start = folder.string() + " cannot be opened as an LMDB store: ";
  if (code == ENOMEM) {
    return start + std::to_string(options.map_size >> 20) +
           " MiB of address space cannot be reserved: raise the limit (ulimit -v), or choose a smaller map";
  }
  if (code == EACCES || code == EPERM || code == EROFS) {
    return start + "data.mdb and lock.mdb must be writable for this user: " + std::strerror(code) +
           owner_advice(folder, code);
  }
  // LMDB locks the byte of lock.mdb at the process id, and finds the dead readers by it.
  if (code == EAGAIN) {
    return start + "a process in another process namespace, such as a container's, has the same process id, " +
           std::to_string(getpid()) +
           ": run this one in that container (podman exec, docker exec), share its process namespace "
           "(--pid=container:NAME, shareProcessNamespace), or stop the other one first (Kubernetes: strategy Recreate)";
  }
  return start + mdb_strerror(code);
}

}  // namespace

std::expected<std::unique_ptr<Store>, std::string> Store::open(const std::filesystem::path& folder,
                                                               const Options& options) {
  std::unique_ptr<Store> store(new Store(folder, options));
  auto opened = store->open_environment(options);
  if (!opened) return std::unexpected(opened.error());
  store->environment_ = std::move(*opened);
  return store;
}

std::expected<Store::EnvironmentPtr, std::string> Store::open_environment(const Options& options) {
  const std::filesystem::path& folder = folder_;
  const FolderOwner owner(folder);
  for (const char* const file : {"data.mdb", "lock.mdb"}) {
    if (auto checked = check_owner(folder, file); !checked) return std::unexpected(checked.error());
  }
  auto opened_folder = open_folder(folder, options.create && !options.read_only);
  if (!opened_folder) return std::unexpected(opened_folder.error());
  const auto not_locked = [&folder](int code) {
    return fault(folder, std::string("cannot be locked: ") + std::strerror(code));
  };
  // The lock admits one process at a time, so that none sees a store that another one is still creating.
  if (const int code = lock_folder(opened_folder->number())) return not_locked(code);
  auto data = open_data_file(*opened_folder, folder, options);
  if (!data) return std::unexpected(data.error());
  if (auto moved = check_files_in_place(*opened_folder, folder); !moved) return std::unexpected(moved.error());
  if (const int code = mark_folder_used(opened_folder->number())) return not_locked(code);
  if (auto allocated = allocate_lock_file(*opened_folder, folder); !allocated)
    return std::unexpected(allocated.error());

  auto opened = begin(folder, options);
  // LMDB before 0.9.32 (ITS#10095): the last process to close a store destroys its mutexes, while a process that opens
  // it at the same time assumes that they are valid. No other process has the store open by then, so a second attempt
  // creates them again.
  if (!opened && opened.error() == EINVAL) opened = begin(folder, options);
  if (!opened) return std::unexpected(opening_error(folder, opened.error(), options));
  if (!*data) fsync(opened_folder->number());
  auto files = record_files(opened->handle.get(), std::move(*opened_folder), folder);
  if (!files) return std::unexpected(files.error());
  unlock_folder((*files)->folder.number());

  MDB_dbi database = 0;
  const auto checked = check_snapshot(opened->handle.get(), opened->reader.get());
  const int code = checked ? mdb_dbi_open(opened->reader.get(), nullptr, 0, &database) : 0;
  opened->reader.reset();
  if (!checked) return fault(folder / "data.mdb", checked.error());
  if (code != 0) return std::unexpected(opening_error(folder, code, options));

  auto environment =
      std::make_shared<Environment>(std::move(opened->handle), database, std::move(*files), ++openings_, is_closed_);
  environment->clear_stale_readers();
  return environment;
}

}  // namespace portail::lmdb
