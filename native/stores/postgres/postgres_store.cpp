#include "native/stores/postgres/postgres_store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/key_value_store.hpp"
#include "native/stores/engine/engine_call.hpp"
#include "native/stores/postgres/postgres_table.hpp"

namespace portail::postgres {
namespace {

using engine::read_failed, engine::response_lost, engine::scan_failed, engine::write_failed;

constexpr std::size_t rows_per_page = 128;

// Returns the maximal size of a response with so many rows of a key and a value, in bytes.
std::size_t max_response_bytes(std::size_t rows) {
  constexpr std::size_t max_row_bytes = max_key_size + max_value_size + 64;
  return Statement().max_response_bytes + std::min(rows * max_row_bytes, engine::max_batch_bytes);
}

// The first statement of a transaction determines the state that it sees.
constexpr std::string_view begin_statement = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";

// Greater than every byte of a valid key.
constexpr char after_every_byte = '~';
// Less than every byte of a valid key: appended to a key, it gives the next possible key.
constexpr char before_every_byte = '\x01';

Query make_query(const Context& context, Query::Kind kind, Statement statement, std::uint64_t lease = 0) {
  return {.kind = kind,
          .statement = std::move(statement),
          .deadline = engine::call_deadline(context),
          .request_deadline = engine::request_deadline(context),
          .lease = lease,
          .request_id = &context,
          .client = engine::client_id(context)};
}

Query begin_query(const Context& context) {
  return make_query(context, Query::Kind::begin, {.sql = std::string(begin_statement)});
}

std::string_view cell(const Result& result, int row, int column) {
  return {PQgetvalue(result.get(), row, column), static_cast<std::size_t>(PQgetlength(result.get(), row, column))};
}

// Returns whether the rows consist of a key and a value, both not null and in the binary format.
bool has_key_value_rows(const Result& result) {
  const PGresult* const rows = result.get();
  if (PQresultStatus(rows) != PGRES_TUPLES_OK || PQnfields(rows) != 2) return false;
  if (PQfformat(rows, 0) != 1 || PQfformat(rows, 1) != 1) return false;
  return std::ranges::none_of(std::views::iota(0, PQntuples(rows)),
                              [rows](int row) { return PQgetisnull(rows, row, 0) || PQgetisnull(rows, row, 1); });
}

// Returns whether the keys are in ascending order, from `begin` on and before `end`: otherwise a scan might not end.
bool is_in_order(const Result& page, std::string_view begin, std::string_view end) {
  const auto keys =
      std::views::iota(0, PQntuples(page.get())) | std::views::transform([&](int row) { return cell(page, row, 0); });
  return keys.empty() || (begin <= keys.front() && keys.back() < end &&
                          std::ranges::adjacent_find(keys, std::ranges::greater_equal()) == keys.end());
}

bool changed_a_row(const Result& result) { return std::strcmp(PQcmdTuples(result.get()), "1") == 0; }

class Session final : public portail::Session {
 public:
  Session(Store& store, Lease lease) : store_(store), lease_(std::move(lease)) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    std::ranges::fill(values, std::nullopt);
    std::vector<std::string_view> valid_keys;
    std::ranges::copy_if(keys, std::back_inserter(valid_keys), key_within_limits);
    if (valid_keys.empty()) co_return;
    const auto kind = lease_.number() == 0 ? Query::Kind::single : Query::Kind::in_lease;
    Response response =
        co_await store_.execute(context,
                                make_query(context, kind,
                                           {.prepared = StatementName::get,
                                            .parameters = {text_array(valid_keys)},
                                            .max_response_bytes = max_response_bytes(valid_keys.size())},
                                           lease_.number()),
                                read_failed);
    if (!has_key_value_rows(response.result)) co_await store_.log_failure(context, read_failed, unexpected_result());
    add_result(keys, values, std::move(response.result));
  }
  void release() override { lease_ = {}; }
  [[nodiscard]] std::size_t copied_bytes() const override { return copied_; }

 private:
  void add_result(std::span<const std::string_view> keys, std::span<Value> values, Result result) {
    std::map<std::string_view, std::string_view> found;
    for (int row = 0; row < PQntuples(result.get()); ++row) found.emplace(cell(result, row, 0), cell(result, row, 1));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto entry = found.find(keys[i]);
      if (entry == found.end()) continue;
      values[i] = entry->second;
      copied_ += entry->second.size();
    }
    results_.push_back(std::move(result));
  }

  Store& store_;
  Lease lease_;
  std::vector<Result> results_;  // own the values' bytes
  std::size_t copied_ = 0;
};

// Returns one statement with the effect of the changes: the last one of each key.
Statement write_statement(std::span<const Change> changes) {
  std::map<std::string_view, Value> last;  // the same order in every transaction avoids deadlocks
  for (const Change& change : changes) last.insert_or_assign(change.key, change.value);
  std::vector<std::string_view> keys;
  std::vector<std::string_view> values;
  std::vector<std::string_view> removed;
  for (const auto& [key, value] : last) {
    if (value) {
      keys.push_back(key);
      values.push_back(*value);
    } else {
      removed.push_back(key);
    }
  }
  if (keys.empty()) return {.prepared = StatementName::remove, .parameters = {text_array(removed)}};
  if (removed.empty()) {
    return {.prepared = StatementName::put, .parameters = {text_array(keys), bytea_array(values)}};
  }
  return {.prepared = StatementName::change,
          .parameters = {text_array(keys), bytea_array(values), text_array(removed)}};
}

// Returns the id of the server's process that executes the connection's statements.
std::expected<std::string, Fault> backend_of(Connection& connection) {
  const auto result = connection.execute({.sql = "SELECT pg_backend_pid()"}, engine::default_deadline());
  if (!result) return std::unexpected(result.error());
  if (PQntuples(result->get()) != 1) return std::unexpected(unexpected_result());
  return std::string(cell(*result, 0, 0));
}

// Fails if a pooler assigns processes of the server by transaction or statement: settings, prepared statements and
// locks then belong to another client. Fails if it gives no second connection, unless `access` needs one only. A pooler
// invents the id of the process that it reports at login.
std::expected<void, std::string> check_pooling(Connection& first, const Url& url, StoreAccess access) {
  constexpr int attempts = 4;
  const auto of_first = backend_of(first);
  if (!of_first && of_first.error().connection_lost) return std::unexpected(of_first.error().message);
  if (!of_first || *of_first == std::to_string(PQbackendPID(first.handle()))) return {};
  bool is_same = backend_of(first) == *of_first;  // not if transactions get the connections in turn
  if (is_same) {
    auto second = Connection::open(url);
    const auto of_second = second.and_then(backend_of);
    if (!of_second && (access == StoreAccess::read || access == StoreAccess::check)) return {};
    if (!of_second) {
      return std::unexpected(
          "a pooler gives no second connection: " + of_second.error().message +
          "; raise its number of connections to that of the portal, ?pool=, and one for an import (PgBouncer: "
          "default_pool_size)");
    }
    is_same = *of_second != *of_first;
    for (int attempt = 0; is_same && attempt < attempts; ++attempt) {
      is_same = backend_of(first) == *of_first && backend_of(*second) == *of_second;
    }
  }
  if (is_same) return {};
  return std::unexpected(
      "a pooler assigns its connections by transaction or statement: the portal needs them by session (PgBouncer: "
      "pool_mode = session)");
}

}  // namespace

std::expected<std::unique_ptr<Store>, std::string> Store::open(const Url& url, StoreAccess access) {
  const auto unusable = [&url](const std::string& why) {
    return std::unexpected(url.name + " cannot be used: " + why);
  };
  auto connection = Connection::open(url);
  if (!connection) return unusable(connection.error().message);
  if (const auto pooled = check_pooling(*connection, url, access); !pooled) return unusable(pooled.error());
  if (const auto checked = check_table(*connection, url, access); !checked) return unusable(checked.error());
  if (const auto prepared = prepare(*connection, url.table); !prepared)
    return unusable(with_remedy(*connection, url, prepared.error()));
  if (access != StoreAccess::read) {
    const auto tried = try_to_write(*connection);
    const bool may_be_standby = access != StoreAccess::fill && !url.requires_primary();
    if (!tried && !(tried.error().is_standby && may_be_standby)) {
      const std::string cause = tried.error().is_standby ? "it is read-only: " : "a trial write failed: ";
      return unusable(cause + with_remedy(*connection, url, tried.error()));
    }
  }
  return std::unique_ptr<Store>(new Store(url, std::move(*connection)));
}

KeyValueStore::Traits Store::traits() const {
  return {.snapshots = true, .compare_and_swap = true, .atomic_batches = true, .uses_editions = true};
}

Task<Response> Store::execute(Context& context, Query query, std::string_view event) {
  auto response = co_await engine::execute<Call>(context, loop_, std::move(query));
  if (!response) co_return log_failure(context, event, response.error());
  co_return std::move(*response);
}

Task<Result> Store::execute_write(Context& context, Statement statement) {
  auto response =
      co_await engine::execute<Call>(context, loop_, make_query(context, Query::Kind::single, std::move(statement)));
  if (response) co_return std::move(response->result);
  if (!response.error().connection_lost) co_return log_failure(context, write_failed, response.error());
  log_fault(context, response_lost, response.error().message);
  co_return nullptr;
}

Task<std::unique_ptr<portail::Session>> Store::open(Context& context) {
  Response begin = co_await execute(context, begin_query(context), read_failed);
  co_return std::make_unique<Session>(*this, std::move(begin.lease));
}

Task<engine::Store::WriteOutcome> Store::apply(Context& context, std::span<const Change> changes) {
  const Result result = co_await execute_write(context, write_statement(changes));
  co_return result ? WriteOutcome::done : WriteOutcome::unknown;
}

Task<engine::Store::WriteOutcome> Store::swap(Context& context, std::string_view key, Value expected,
                                              std::string_view desired) {
  Statement statement{.prepared = StatementName::add, .parameters = {std::string(key), std::string(desired)}};
  if (expected) {
    statement = {.prepared = StatementName::swap,
                 .parameters = {std::string(key), std::string(*expected), std::string(desired)}};
  }
  const Result result = co_await execute_write(context, std::move(statement));
  if (!result) co_return WriteOutcome::unknown;
  co_return changed_a_row(result) ? WriteOutcome::done : WriteOutcome::mismatch;
}

Task<void> Store::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  const Response begin = co_await execute(context, begin_query(context), scan_failed);
  const std::string end = std::string(prefix) + after_every_byte;
  std::string next(prefix);
  while (true) {
    const Response page = co_await execute(context,
                                           make_query(context, Query::Kind::in_lease,
                                                      {.prepared = StatementName::page,
                                                       .parameters = {next, end},
                                                       .max_response_bytes = max_response_bytes(rows_per_page)},
                                                      begin.lease.number()),
                                           scan_failed);
    if (!has_key_value_rows(page.result) || !is_in_order(page.result, next, end)) {
      co_await log_failure(context, scan_failed, unexpected_result());
    }
    const int rows = PQntuples(page.result.get());
    if (rows == 0) co_return;
    for (int row = 0; row < rows; ++row) {
      if (!visitor.visit(cell(page.result, row, 0), cell(page.result, row, 1))) co_return;
    }
    next = cell(page.result, rows - 1, 0);
    next += before_every_byte;
  }
}

}  // namespace portail::postgres
