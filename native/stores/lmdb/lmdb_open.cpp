// Opening an LmdbStore: every way in which a folder or a file can be unfit is told here, in one line, before LMDB maps
// the file.
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

#include "core/files/descriptor.hpp"
#include "native/stores/folder_use.hpp"
#include "native/stores/lmdb/lmdb_file.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"

namespace portail {
namespace {

// Sessions at once, over all processes: more than a server has connections. A slot costs 64 bytes of lock.mdb.
constexpr unsigned most_readers = 16 * 1024;
// That are taken where commits of others come between a snapshot and the look at its meta page.
constexpr int max_snapshots = 100;
constexpr std::chrono::seconds max_closing{1};
// Of lock.mdb: as many slots, and LMDB's two mutexes, of 64 bytes each.
constexpr off_t lock_file_size = (off_t{most_readers} + 2) * 64;

std::unexpected<std::string> fault(const std::filesystem::path& path, std::string_view what) {
  return std::unexpected(path.string() + ' ' + std::string(what));
}

// The folder, made where it is missing and `create` says so.
std::expected<Descriptor, std::string> open_folder(const std::filesystem::path& folder, bool create) {
  if (create && mkdir(folder.c_str(), 0700) == 0) {
    const auto parent = folder.has_parent_path() ? folder.parent_path() : std::filesystem::path(".");
    // Without this the new folder's name might not survive a power loss that its contents survive.
    if (Descriptor above(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); above) fsync(above.number());
  } else if (create && errno != EEXIST) {
    if (errno == ENOENT) return fault(folder, "cannot be made: its parent folder does not exist: make that first");
    return fault(folder, std::string("cannot be made: ") + std::strerror(errno));
  }
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) return opened;
  if (errno == ENOENT) return fault(folder, "does not exist: import a document into it first, or name another store");
  if (errno == ENOTDIR) return fault(folder, "is not a folder: an LMDB store is one, name another path");
  return fault(folder, std::string("cannot be opened: ") + std::strerror(errno));
}

// The data file, if there is one; the number is that of no file where it has yet to be made.
std::expected<Descriptor, std::string> open_data_file(const Descriptor& folder, const std::filesystem::path& path,
                                                      const LmdbOptions& options) {
  Descriptor data(openat(folder.number(), "data.mdb", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!data) {
    if (errno != ENOENT) return fault(path / "data.mdb", std::string("cannot be opened: ") + std::strerror(errno));
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
  if (auto metas = check_meta_pages(data.number()); !metas) return fault(path / "data.mdb", metas.error());
  return data;
}

// LMDB writes into lock.mdb through its map, where a disk without room ends the process by SIGBUS: the room is made
// before. What else may be wrong with the file, LMDB tells when it opens it.
std::expected<void, std::string> make_room_for_readers(const Descriptor& folder, const std::filesystem::path& path) {
  const Descriptor lock(openat(folder.number(), "lock.mdb", O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600));
  if (!lock || fallocate(lock.number(), 0, 0, lock_file_size) == 0 || (errno != ENOSPC && errno != EDQUOT)) return {};
  return fault(path / "lock.mdb", std::string("cannot have its 1 MiB: ") + std::strerror(errno));
}

// Whether a process has this lock.mdb open with LMDB, which locks its first byte meanwhile.
bool is_lock_file_used(const Descriptor& folder) {
  const Descriptor file(openat(folder.number(), "lock.mdb", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  return file && fcntl(file.number(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Processes that use the store have both files open, wherever these were moved. A data.mdb that is made beside them
// would be another store, and another lock.mdb would let two processes write to one.
std::expected<void, std::string> check_that_none_was_moved(const Descriptor& folder,
                                                           const std::filesystem::path& path) {
  struct statvfs system{};
  if (fstatvfs(folder.number(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0) return {};  // none is made there
  const auto is_missing = [&folder](const char* file) {
    struct stat status{};
    return fstatat(folder.number(), file, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
  };
  const char* const missing = is_missing("data.mdb") ? "data.mdb" : is_missing("lock.mdb") ? "lock.mdb" : nullptr;
  // A process that is just closing the store lets go of lock.mdb first.
  const auto end = std::chrono::steady_clock::now() + max_closing;
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
struct Begun {
  LmdbHandle handle;
  std::unique_ptr<MDB_txn, AbortTransaction> reader;
};

// Opens the store, and a snapshot of it; LMDB's result code where it cannot.
std::expected<Begun, int> begin(const std::filesystem::path& folder, const LmdbOptions& options) {
  MDB_env* created = nullptr;
  int code = mdb_env_create(&created);
  LmdbHandle handle(created);
  if (code == 0) code = mdb_env_set_mapsize(created, options.map_size);
  if (code == 0) code = mdb_env_set_maxreaders(created, most_readers);
  // No flag that weakens durability. Readers belong to sessions, not to threads.
  if (code == 0) code = mdb_env_open(created, folder.c_str(), MDB_NOTLS | (options.read_only ? MDB_RDONLY : 0), 0600);
  MDB_txn* reader = nullptr;
  if (code == 0) code = mdb_txn_begin(created, nullptr, MDB_RDONLY, &reader);
  if (code != 0) return std::unexpected(code);
  return Begun{.handle = std::move(handle), .reader = decltype(Begun::reader)(reader)};
}

// Every page of a snapshot, the reader's or a later one.
std::expected<void, FileFault> check_snapshot(MDB_env* handle, MDB_txn* reader) {
  int data = -1;  // the very file that is mapped
  mdb_env_get_fd(handle, &data);
  for (int attempt = 0; attempt < max_snapshots; ++attempt) {
    const auto checked = check_pages(data, mdb_txn_id(reader));
    if (!checked) return std::unexpected(checked.error());
    if (*checked == PagesChecked::all) return {};
    mdb_txn_reset(reader);
    if (const int code = mdb_txn_renew(reader)) return std::unexpected(std::string(mdb_strerror(code)));
  }
  return std::unexpected(
      "is at another commit than lock.mdb: stop every process that uses the store, and remove lock.mdb");
}

// What LMDB has open, and what leads to it.
std::expected<std::unique_ptr<OpenedFolder>, std::string> note_files(MDB_env* handle, Descriptor folder,
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

std::string opening_failed(const std::filesystem::path& folder, int code, const LmdbOptions& options) {
  const std::string start = folder.string() + " cannot be opened as an LMDB store: ";
  if (code == ENOMEM) {
    return start + std::to_string(options.map_size >> 20) +
           " MiB of address space cannot be reserved: raise the limit (ulimit -v), or choose a smaller map";
  }
  if (code == EACCES || code == EPERM || code == EROFS) {
    return start + "data.mdb and lock.mdb must be writable for this user: " + std::strerror(code);
  }
  return start + mdb_strerror(code);
}

}  // namespace

std::expected<std::unique_ptr<LmdbStore>, std::string> LmdbStore::open(const std::filesystem::path& folder,
                                                                       const LmdbOptions& options) {
  std::unique_ptr<LmdbStore> store(new LmdbStore(folder, options));
  auto opened = store->open_environment(options);
  if (!opened) return std::unexpected(opened.error());
  store->environment_ = std::move(*opened);
  return store;
}

std::expected<LmdbStore::Environment, std::string> LmdbStore::open_environment(const LmdbOptions& options) {
  const std::filesystem::path& folder = folder_;
  auto opened_folder = open_folder(folder, options.create && !options.read_only);
  if (!opened_folder) return std::unexpected(opened_folder.error());
  const auto not_locked = [&folder](int code) {
    return fault(folder, std::string("cannot be locked: ") + std::strerror(code));
  };
  // One process at a time gets past here, so that none sees a store that another one is still making.
  if (const int code = enter_folder(opened_folder->number())) return not_locked(code);
  auto data = open_data_file(*opened_folder, folder, options);
  if (!data) return std::unexpected(data.error());
  if (auto moved = check_that_none_was_moved(*opened_folder, folder); !moved) return std::unexpected(moved.error());
  if (const int code = use_folder(opened_folder->number())) return not_locked(code);
  if (auto made = make_room_for_readers(*opened_folder, folder); !made) return std::unexpected(made.error());

  auto begun = begin(folder, options);
  // LMDB before 0.9.32 (ITS#10095): the last process to close a store destroys its mutexes, and one that has opened it
  // meanwhile takes them for whole. No other process has the store open by then, so opening the store creates them
  // again.
  if (!begun && begun.error() == EINVAL) begun = begin(folder, options);
  if (!begun) return std::unexpected(opening_failed(folder, begun.error(), options));
  if (!*data) fsync(opened_folder->number());
  auto files = note_files(begun->handle.get(), std::move(*opened_folder), folder);
  if (!files) return std::unexpected(files.error());
  leave_folder((*files)->folder.number());

  MDB_dbi database = 0;
  const auto checked = check_snapshot(begun->handle.get(), begun->reader.get());
  const int code = checked ? mdb_dbi_open(begun->reader.get(), nullptr, 0, &database) : 0;
  begun->reader.reset();
  if (!checked) return fault(folder / "data.mdb", checked.error());
  if (code != 0) return std::unexpected(opening_failed(folder, code, options));

  auto environment =
      std::make_shared<LmdbEnvironment>(std::move(begun->handle), database, std::move(*files), is_closed_);
  environment->clear_stale_readers();
  return environment;
}

}  // namespace portail
