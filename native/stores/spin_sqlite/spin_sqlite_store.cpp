#include "native/stores/spin_sqlite/spin_sqlite_store.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <deque>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fcntl.h>

#include "core/storage/folder/descriptor.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/stores/folder_use.hpp"
#include "native/system/atomic_file.hpp"

namespace portail::spin_sqlite {
namespace {

// Spin's table, in case Spin has not created it yet.
constexpr const char* create_table =
    "CREATE TABLE IF NOT EXISTS spin_key_value (store TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, "
    "PRIMARY KEY (store, key))";

std::unexpected<std::string> file_error(const std::filesystem::path& file, std::string_view what) {
  return std::unexpected(file.string() + ' ' + std::string(what));
}

// Creates a file that only this user can access. An empty file is an empty SQLite database.
std::expected<void, std::string> create_file(const std::filesystem::path& file) {
  const FolderOwner owner(file.parent_path());
  const Descriptor created(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (created || errno == EEXIST) return {};
  if (errno == ENOENT) return file_error(file, "cannot be created: its folder does not exist: create it first");
  return file_error(file, std::string("cannot be created: ") + std::strerror(errno));
}

std::string opening_error(sqlite3* database) {
  const int code = sqlite3_errcode(database);
  if (code == SQLITE_NOTADB) return "is not an SQLite file: name another store";
  if (code == SQLITE_ERROR) {  // a statement did not compile
    return "holds no key-value store of Spin: import a document into it first, or name another file";
  }
  return std::string("cannot be opened as an SQLite file: ") + sqlite3_errmsg(database);
}

std::string_view column(sqlite3_stmt* row, int index) {
  const void* bytes = sqlite3_column_blob(row, index);  // null for no bytes
  return {bytes ? static_cast<const char*>(bytes) : "", static_cast<std::size_t>(sqlite3_column_bytes(row, index))};
}

// The caller owns the bytes, which must live until the statement is reset.
int bind_text(sqlite3_stmt* statement, int index, std::string_view text) {
  return sqlite3_bind_text64(statement, index, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC,
                             SQLITE_UTF8);
}
int bind_blob(sqlite3_stmt* statement, int index, std::string_view bytes) {
  return sqlite3_bind_blob64(statement, index, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
}

struct ResetStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_reset(statement); }
};
// A statement in use. Its destructor resets the statement, which releases the row and the file's lock.
using StatementUse = std::unique_ptr<sqlite3_stmt, ResetStatement>;

int completion_code(int code) { return code == SQLITE_DONE ? SQLITE_OK : code; }

}  // namespace

class Session final : public portail::Session {
 public:
  explicit Session(Store& store) : store_(store) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    const int code = store_.transact("BEGIN", [this, keys, values] {
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const int fault = store_.read(keys[i], [this, &slot = values[i]](Value value) { slot = keep(value); });
        if (fault != SQLITE_OK) return fault;
      }
      return SQLITE_OK;
    });
    if (code != SQLITE_OK) co_await store_.log_failure(context, "store: a read failed", code);
  }

  [[nodiscard]] std::size_t copied_bytes() const override { return copied_; }

 private:
  Value keep(Value value) {
    if (!value) return std::nullopt;
    copied_ += value->size();
    return values_.emplace_back(*value);
  }

  Store& store_;
  std::deque<std::string> values_;
  std::size_t copied_ = 0;
};

std::expected<std::unique_ptr<Store>, std::string> Store::open(const std::filesystem::path& file,
                                                               std::string_view label, const Options& options) {
  if (options.create) {
    if (auto created = create_file(file); !created) return std::unexpected(created.error());
  } else if (std::error_code ignored; !std::filesystem::exists(file, ignored)) {
    return file_error(file, "does not exist: import a document into it first, or name another store");
  }
  sqlite3* opened = nullptr;
  int code = sqlite3_open_v2(file.c_str(), &opened,
                             SQLITE_OPEN_NOMUTEX | (options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE),
                             nullptr);
  std::unique_ptr<Store> store(new Store(opened, label));
  if (code == SQLITE_OK) code = sqlite3_busy_timeout(opened, static_cast<int>(options.busy_timeout.count()));
  // EXTRA also syncs the end of the journal: acknowledged writes survive a power loss.
  if (code == SQLITE_OK) code = store->execute("PRAGMA synchronous = EXTRA");
  if (code == SQLITE_OK && options.create) code = store->execute(create_table);
  if (code == SQLITE_OK) code = store->prepare();
  if (code != SQLITE_OK) return file_error(file, opening_error(opened));
  if (options.check_every_page) {
    Statement check;
    std::string found;
    if (store->prepare(check, "PRAGMA integrity_check(1)") == SQLITE_OK && sqlite3_step(check.get()) == SQLITE_ROW) {
      found = column(check.get(), 0);
    }
    if (found != "ok") return file_error(file, "is damaged: restore it from a backup");
  }
  return store;
}

KeyValueStore::Traits Store::traits() const {
  return {.snapshots = false, .compare_and_swap = true, .atomic_batches = true};
}

Task<std::unique_ptr<portail::Session>> Store::open(Context& /*context*/) {
  co_return std::make_unique<Session>(*this);
}

Task<void> Store::write(Context& context, std::span<const Change> changes) {
  co_await check_limits(changes);
  const int code = transact("BEGIN IMMEDIATE", [this, changes] {
    for (const Change& change : changes) {
      if (const int fault = apply(change); fault != SQLITE_OK) return fault;
    }
    return SQLITE_OK;
  });
  if (code != SQLITE_OK) co_await log_failure(context, "store: a write failed, nothing was changed", code);
}

Task<bool> Store::compare_and_swap(Context& context, std::string_view key, Value expected, std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  bool is_expected = false;
  const int code = transact("BEGIN IMMEDIATE", [this, &change, &is_expected, expected] {
    const int fault = read(change.key, [&](Value current) { is_expected = current == expected; });
    return fault == SQLITE_OK && is_expected ? apply(change) : fault;
  });
  if (code != SQLITE_OK) co_return log_failure(context, "store: a write failed, nothing was changed", code);
  co_return is_expected;
}

Task<void> Store::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  const int code = visit_all(prefix, visitor);
  if (code != SQLITE_OK) co_await log_failure(context, "store: a scan failed", code);
}

int Store::prepare() {
  int code = prepare(get_, "SELECT value FROM spin_key_value WHERE store = ?1 AND key = ?2");
  if (code == SQLITE_OK) {
    code = prepare(put_,
                   "INSERT INTO spin_key_value (store, key, value) VALUES (?1, ?2, ?3) "
                   "ON CONFLICT (store, key) DO UPDATE SET value = excluded.value");
  }
  if (code == SQLITE_OK) code = prepare(remove_, "DELETE FROM spin_key_value WHERE store = ?1 AND key = ?2");
  if (code == SQLITE_OK) {
    code = prepare(scan_, "SELECT key, value FROM spin_key_value WHERE store = ?1 AND key >= ?2 ORDER BY key");
  }
  for (const Statement* statement : {&get_, &put_, &remove_, &scan_}) {
    if (code == SQLITE_OK) code = bind_text(statement->get(), 1, label_);
  }
  return code;
}

int Store::prepare(Statement& statement, const char* text) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), text, -1, &prepared, nullptr);
  statement.reset(prepared);
  return code;
}

int Store::transact(const char* begin, const std::function<int()>& body) {
  const std::lock_guard lock(mutex_);
  int code = execute(begin);
  if (code != SQLITE_OK) return code;
  code = body();
  // SQLite itself checks this only with a rollback journal.
  int has_moved = 0;
  sqlite3_file_control(database_.get(), nullptr, SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (code == SQLITE_OK && has_moved != 0) code = SQLITE_READONLY_DBMOVED;
  if (code == SQLITE_OK) code = execute("COMMIT");
  if (code != SQLITE_OK) execute("ROLLBACK");
  return code;
}

int Store::read(std::string_view key, const std::function<void(Value)>& consume) {
  const StatementUse row(get_.get());
  int code = bind_text(row.get(), 2, key);
  if (code == SQLITE_OK) code = sqlite3_step(row.get());
  if (code == SQLITE_ROW) {
    consume(column(row.get(), 0));
    return SQLITE_OK;
  }
  if (code == SQLITE_DONE) consume(std::nullopt);
  return completion_code(code);
}

int Store::visit_all(std::string_view prefix, Visitor& visitor) {
  const std::lock_guard lock(mutex_);
  const StatementUse rows(scan_.get());
  int code = bind_text(rows.get(), 2, prefix);
  if (code == SQLITE_OK) code = sqlite3_step(rows.get());
  for (; code == SQLITE_ROW; code = sqlite3_step(rows.get())) {
    const std::string_view key = column(rows.get(), 0);
    if (!key.starts_with(prefix) || !visitor.visit(key, column(rows.get(), 1))) return SQLITE_OK;
  }
  return completion_code(code);
}

int Store::apply(const Change& change) {
  const StatementUse statement(change.value ? put_.get() : remove_.get());
  int code = bind_text(statement.get(), 2, change.key);
  if (code == SQLITE_OK && change.value) code = bind_blob(statement.get(), 3, *change.value);
  return code == SQLITE_OK ? completion_code(sqlite3_step(statement.get())) : code;
}

std::unexpected<Failure> Store::log_failure(Context& context, std::string_view event, int code) {
  context.log.warn(event, code == SQLITE_READONLY_DBMOVED ? "its file was moved away" : sqlite3_errstr(code));
  return std::unexpected(code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? Failure::corrupt : Failure::unavailable);
}

namespace {

struct Location {
  std::string_view file;
  std::string_view label = "default";  // Spin's default
};

Location split_location(std::string_view location) {
  constexpr std::string_view option = "?label=";
  const std::size_t at = location.rfind(option);
  if (at == std::string_view::npos) return {.file = location};
  return {.file = location.substr(0, at), .label = location.substr(at + option.size())};
}

}  // namespace

std::expected<void, std::string> check_location(std::string_view location) {
  const Location parts = split_location(location);
  if (!parts.file.empty() && !parts.label.empty()) return {};
  return std::unexpected(std::string("the store spin-sqlite: needs a ") + (parts.file.empty() ? "file" : "label") +
                         ": spin-sqlite:FILE[?label=LABEL]");
}

std::string_view file_of(std::string_view location) { return split_location(location).file; }

OpenedStore open_store(std::string_view location, StoreAccess access) {
  const Location parts = split_location(location);
  return Store::open(parts.file, parts.label,
                     {.create = access == StoreAccess::fill || access == StoreAccess::create,
                      .read_only = access == StoreAccess::read || access == StoreAccess::check,
                      .check_every_page = access == StoreAccess::check});
}

std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view location) {
  const std::filesystem::path file = split_location(location).file;
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return acquire_folder_import_lock(folder, file.filename().string() + ".import.lock");
}

}  // namespace portail::spin_sqlite
