// One of the key-value stores in Spin's SQLite file, for tools: Spin is what serves from it, at the same time too. One
// connection; any thread, one call after the other, and each waits until another process lets go of the file. What it
// promises is in docs/reference/stores.md.
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

namespace portail {

struct SpinSqliteOptions {
  // Make the file (not its folder) and Spin's table where they are missing.
  bool create = false;
  bool read_only = false;
  // Look at every page before trusting the file.
  bool check_every_page = false;
  // For another process to let go of the file; Spin's own connection waits as long.
  std::chrono::milliseconds busy_timeout = std::chrono::seconds(5);
};

class SpinSqliteStore final : public KeyValueStore {
 public:
  // `label` is Spin's name of the store. The error is one line that names the file and says what to do.
  static std::expected<std::unique_ptr<SpinSqliteStore>, std::string> open(const std::filesystem::path& file,
                                                                           std::string_view label,
                                                                           const SpinSqliteOptions& options);
  SpinSqliteStore(const SpinSqliteStore&) = delete;
  SpinSqliteStore& operator=(const SpinSqliteStore&) = delete;

  [[nodiscard]] Traits traits() const override;
  Task<std::unique_ptr<Session>> open(Context& context) override;
  Task<void> write(Context& context, std::span<const Change> changes) override;
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override;
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override;

 private:
  friend class SpinSqliteSession;
  struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

  SpinSqliteStore(sqlite3* database, std::string_view label) : database_(database), label_(label) {}

  // SQLite's result code, here and below.
  int prepare();
  int prepare(Statement& statement, const char* text);
  int execute(const char* text) { return sqlite3_exec(database_.get(), text, nullptr, nullptr, nullptr); }
  // Takes mutex_, and runs `body` between `begin` and COMMIT; where it does not give SQLITE_OK, nothing is changed.
  int transact(const char* begin, const std::function<int()>& body);
  // Calls `take` with the value of the key, which lives until it returns, or with nothing.
  int read(std::string_view key, const std::function<void(Value)>& take);
  int pass_over(std::string_view prefix, Visitor& visitor);
  int apply(const Change& change);
  std::unexpected<Failure> failed(Context& context, std::string_view event, int code);

  std::unique_ptr<sqlite3, CloseDatabase> database_;
  const std::string label_;
  std::mutex mutex_;  // for the connection and its statements
  Statement get_;
  Statement put_;
  Statement remove_;
  Statement scan_;
};

}  // namespace portail
