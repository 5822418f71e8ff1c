#include "native/stores/lmdb/lmdb_store.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail::lmdb {

// A read transaction; the destructor returns it to the idle ones.
class Reader {
 public:
  Reader(std::shared_ptr<Environment> environment, MDB_txn* transaction)
      : environment_(std::move(environment)), transaction_(transaction) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { environment_->release_reader(transaction_); }

  [[nodiscard]] MDB_txn* transaction() const { return transaction_; }
  [[nodiscard]] MDB_dbi database() const { return environment_->database(); }
  [[nodiscard]] std::uint64_t environment_number() const { return environment_->number(); }

 private:
  std::shared_ptr<Environment> environment_;
  MDB_txn* transaction_;
};

namespace {

constexpr std::int64_t reader_check_interval = 60;

MDB_val to_mdb_val(std::string_view bytes) {
  // LMDB does not write through the pointer.
  return {.mv_size = bytes.size(), .mv_data = const_cast<char*>(bytes.data())};
}
std::string_view to_text(const MDB_val& bytes) { return {static_cast<const char*>(bytes.mv_data), bytes.mv_size}; }

Failure to_failure(int code) {
  switch (code) {
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_INCOMPATIBLE:
    case MDB_VERSION_MISMATCH:
      return Failure::corrupt;
    default:
      return Failure::unavailable;
  }
}

// An errno value that LMDB does not return. The function that detects the replacement logs it.
constexpr int files_replaced = ESTALE;

int report_replaced(Context& context, std::string_view why) {
  log_replaced(context, why);
  return files_replaced;
}

std::unexpected<Failure> failed(Context& context, std::string_view event, int code) {
  if (code != files_replaced) context.log.warn(event, mdb_strerror(code));
  return std::unexpected(to_failure(code));
}

}  // namespace

class Session final : public portail::Session {
 public:
  Session(Store& store, std::shared_ptr<Environment> environment, MDB_txn* transaction)
      : store_(store), reader_(std::move(environment), transaction) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      MDB_val key = to_mdb_val(keys[i]);
      MDB_val value{};
      const int code = mdb_get(reader_.transaction(), reader_.database(), &key, &value);
      if (code == 0) {
        values[i] = to_text(value);
        store_.on_value_read(*values[i]);
      } else if (code == MDB_NOTFOUND || code == MDB_BAD_VALSIZE) {
        values[i] = std::nullopt;
      } else {
        co_await failed(context, "store: a read failed", code);
      }
    }
  }
  // The last transaction before the session, also if it changed volatile keys only.
  [[nodiscard]] std::optional<StoreRevision> revision() const override {
    return StoreRevision{{reader_.environment_number(), mdb_txn_id(reader_.transaction())}};
  }

 private:
  Store& store_;
  Reader reader_;
};

namespace {

struct CloseCursor {
  void operator()(MDB_cursor* cursor) const { mdb_cursor_close(cursor); }
};

int apply(MDB_txn* transaction, MDB_dbi database, const Change& change) {
  MDB_val key = to_mdb_val(change.key);
  if (change.value) {
    MDB_val value = to_mdb_val(*change.value);
    return mdb_put(transaction, database, &key, &value, 0);
  }
  const int code = mdb_del(transaction, database, &key, nullptr);
  return code == MDB_NOTFOUND ? 0 : code;
}

}  // namespace

KeyValueStore::Traits Store::traits() const {
  return {.snapshots = true, .compare_and_swap = true, .atomic_batches = true};
}

Task<std::unique_ptr<portail::Session>> Store::open(Context& context) {
  auto environment = this->environment(context);
  if (!environment) co_return failed(context, "store: no session", environment.error());
  const auto transaction = (*environment)->acquire_reader();
  if (!transaction) {
    close_if_broken(context, *environment, transaction.error());
    co_return failed(context, "store: no session", transaction.error());
  }
  co_return std::make_unique<Session>(*this, std::move(*environment), *transaction);
}

Task<void> Store::write(Context& context, std::span<const Change> changes) {
  co_await check_limits(changes);
  const int code = transact(context, [changes](MDB_txn* transaction, MDB_dbi database) {
    for (const Change& change : changes) {
      if (int fault = apply(transaction, database, change)) return fault;
    }
    return 0;
  });
  if (code != 0) co_await failed(context, "store: a write failed, nothing was changed", code);
}

Task<bool> Store::compare_and_swap(Context& context, std::string_view key, Value expected, std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  const int code = transact(context, [&change, expected](MDB_txn* transaction, MDB_dbi database) {
    MDB_val name = to_mdb_val(change.key);
    MDB_val stored{};
    const int found = mdb_get(transaction, database, &name, &stored);
    if (found != 0 && found != MDB_NOTFOUND) return found;
    const Value current = found == 0 ? Value(to_text(stored)) : std::nullopt;
    return current == expected ? apply(transaction, database, change) : MDB_KEYEXIST;
  });
  if (code == MDB_KEYEXIST) co_return false;
  if (code != 0) co_return failed(context, "store: a write failed, nothing was changed", code);
  co_return true;
}

Task<void> Store::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  auto environment = this->environment(context);
  if (!environment) co_return co_await failed(context, "store: no session", environment.error());
  const auto transaction = (*environment)->acquire_reader();
  if (!transaction) co_return co_await failed(context, "store: no session", transaction.error());
  const Reader reader(std::move(*environment), *transaction);
  MDB_cursor* opened = nullptr;
  int code = mdb_cursor_open(reader.transaction(), reader.database(), &opened);
  const std::unique_ptr<MDB_cursor, CloseCursor> cursor(opened);
  MDB_val key = to_mdb_val(prefix);
  MDB_val value{};
  if (code == 0) code = mdb_cursor_get(opened, &key, &value, prefix.empty() ? MDB_FIRST : MDB_SET_RANGE);
  for (; code == 0; code = mdb_cursor_get(opened, &key, &value, MDB_NEXT)) {
    if (!to_text(key).starts_with(prefix)) co_return;
    on_value_read(to_text(value));
    if (!visitor.visit(to_text(key), to_text(value))) co_return;
  }
  if (code != MDB_NOTFOUND) co_await failed(context, "store: a scan failed", code);
}

std::expected<void, std::string> Store::copy_to(int file) {
  const std::lock_guard lock(mutex_);
  const int code = environment_ ? environment_->copy_to(file) : MDB_PANIC;
  if (code != 0) return std::unexpected(mdb_strerror(code));
  return {};
}

std::expected<bool, std::string> Store::is_shared() {
  const std::lock_guard lock(mutex_);
  if (!environment_) return false;
  const auto shared = environment_->is_shared();
  if (!shared) return std::unexpected(folder_.string() + " cannot be locked: " + std::strerror(shared.error()));
  return *shared;
}

std::expected<Store::EnvironmentPtr, int> Store::environment(Context& context) {
  const std::lock_guard lock(mutex_);
  if (environment_) {
    const auto& replaced = replacement_.fault(context, [this] { return environment_->replaced(); });
    if (replaced) return std::unexpected(report_replaced(context, *replaced));
    return environment_;
  }
  // LMDB's file locks belong to the process: a second opening of the file would take them from the first.
  if (!is_closed_) return std::unexpected(MDB_PANIC);
  auto opened = open_environment({.read_only = options_.read_only, .map_size = options_.map_size});
  if (!opened) {
    context.log.warn("store: it cannot be opened again", opened.error());
    return std::unexpected(MDB_PANIC);
  }
  context.log.warn("store: it was opened again", "after an incomplete write");
  environment_ = std::move(*opened);
  return environment_;
}

void Store::close_if_broken(Context& context, const EnvironmentPtr& environment, int code) {
  if (code != MDB_PANIC) return;
  const std::lock_guard lock(mutex_);
  if (environment_ != environment) return;
  context.log.warn("store: it is closed and opened again", mdb_strerror(code));
  environment_.reset();
}

int Store::transact(Context& context, const std::function<int(MDB_txn*, MDB_dbi)>& change) {
  const auto environment = this->environment(context);
  if (!environment) return environment.error();
  Environment& opened = **environment;
  // The slot of a process that died while reading prevents the reuse of pages until it is cleared.
  const std::int64_t now = context.clock.now().seconds();
  if (now - readers_checked_at_.load(std::memory_order_relaxed) >= reader_check_interval) {
    readers_checked_at_.store(now, std::memory_order_relaxed);
    opened.clear_stale_readers();
  }
  const auto run = [&change, &opened](MDB_txn* transaction) { return change(transaction, opened.database()); };
  int code = opened.transact(run);
  if (code == MDB_MAP_FULL && opened.clear_stale_readers() > 0) code = opened.transact(run);
  close_if_broken(context, *environment, code > 0 ? opened.fault() : code);  // errno values are positive
  if (code != 0) return code;
  // A write to a file that was moved away meanwhile is not reported as done.
  const auto replaced = opened.replaced();
  return replaced ? report_replaced(context, *replaced) : 0;
}

void Store::on_value_read(std::string_view value) {
  if (page_releaser_) page_releaser_->add(value);
}

}  // namespace portail::lmdb
