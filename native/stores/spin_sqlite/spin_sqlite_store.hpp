// One of the key-value stores in Spin's SQLite file, for tools. Spin itself serves from it, possibly at the same time.
// One connection; any thread, one call after the other, and each call waits until other processes release the file
// (docs/reference/stores.md has its guarantees).
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include <sqlite3.h>

#include "core/storage/key_value_store.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::spin_sqlite {

struct Options {
  // Create the file (not its folder) and Spin's table if they are missing.
  bool create = false;
  bool read_only = false;
  // Check every page when the file is opened.
  bool check_every_page = false;
  // How long to wait for other processes to release the file; the same as Spin's own connection.
  std::chrono::milliseconds busy_timeout = std::chrono::seconds(5);
};

class Store final : public KeyValueStore {
 public:
  // `label` is Spin's name of the store. The error is one line that names the file and states what to do.
  static std::expected<std::unique_ptr<Store>, std::string> open(const std::filesystem::path& file,
                                                                 std::string_view label, const Options& options);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<portail::Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  friend class Session;
  struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

  Store(sqlite3* database, std::string_view label) : database_(database), label_(label) {}

  // The functions below return SQLite's result code.
  int prepare();
  int prepare(Statement& statement, const char* text);
  int execute(const char* text) { return sqlite3_exec(database_.get(), text, nullptr, nullptr, nullptr); }
  // Locks mutex_, and runs `body` between `begin` and COMMIT. Unless it returns SQLITE_OK, nothing is changed.
  int transact(const char* begin, const std::function<int()>& body);
  // Calls `consume` with the value of the key, which is valid during that call, or with nullopt.
  int read(std::string_view key, const std::function<void(Value)>& consume);
  int visit_all(std::string_view prefix, Visitor& visitor);
  int apply(const Change& change);
  std::unexpected<Failure> log_failure(Context& context, std::string_view event, int code);

  std::unique_ptr<sqlite3, CloseDatabase> database_;
  const std::string label_;
  std::mutex mutex_;  // for the connection and its statements
  Statement get_;
  Statement put_;
  Statement remove_;
  Statement scan_;
};

// spin-sqlite:FILE[?label=LABEL], one of the key-value stores in a file of Spin, selected by its label (default:
// `default`): the functions of its row in native/stores/store_url.cpp.

std::expected<void, std::string> check_location(std::string_view location);
std::string_view file_of(std::string_view location);
OpenedStore open_store(std::string_view location, StoreAccess access);
std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view location);

}  // namespace portail::spin_sqlite
