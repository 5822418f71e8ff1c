#include "native/stores/postgres/postgres_store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/limits.hpp"
#include "native/stores/engine/engine_deadline.hpp"
#include "native/stores/postgres/postgres_table.hpp"

namespace portail {
namespace {

constexpr std::string_view read_failed = "store: a read failed";
constexpr std::string_view write_failed = "store: a write failed";
constexpr std::string_view answer_lost = "store: the answer to a write was lost";
constexpr std::string_view scan_failed = "store: a scan failed";

constexpr std::size_t max_values_at_once =
    std::size_t{256} * 1024 * 1024;  // bytes; a long list reads all its values at once
constexpr std::size_t rows_of_a_page = 128;

// Bytes that so many rows of a key and a value are at most as they are sent.
std::size_t max_answer_of(std::size_t rows) {
  constexpr std::size_t greatest_row = largest_key + largest_value + 64;
  return PostgresStatement().max_answer + std::min(rows * greatest_row, max_values_at_once);
}

// The first statement of a transaction decides which state it sees.
constexpr std::string_view begin_statement = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";

// Greater than every byte that a key may have.
constexpr char after_every_byte = '~';
// Less than every byte that a key may have: with it a key is the next after itself.
constexpr char before_every_byte = '\x01';

PostgresQuestion question(const Context& context, PostgresQuestion::Kind kind, PostgresStatement statement,
                          std::uint64_t lease = 0) {
  return {.kind = kind,
          .statement = std::move(statement),
          .deadline = deadline_of(context),
          .request_ends = end_of_request(context),
          .lease = lease,
          .asker = &context,
          .client = client_of(context)};
}

PostgresQuestion beginning(const Context& context) {
  return question(context, PostgresQuestion::Kind::begin, {.sql = std::string(begin_statement)});
}

bool can_be_stored(std::string_view key) { return within_limits({.key = key, .value = std::nullopt}); }

std::string_view cell(const PostgresResult& result, int row, int column) {
  return {PQgetvalue(result.get(), row, column), static_cast<std::size_t>(PQgetlength(result.get(), row, column))};
}

// Whether its rows are of a key and a value, both in the binary format.
bool has_values(const PostgresResult& result) {
  const PGresult* const rows = result.get();
  if (PQresultStatus(rows) != PGRES_TUPLES_OK || PQnfields(rows) != 2) return false;
  if (PQfformat(rows, 0) != 1 || PQfformat(rows, 1) != 1) return false;
  return std::ranges::none_of(std::views::iota(0, PQntuples(rows)),
                              [rows](int row) { return PQgetisnull(rows, row, 0) || PQgetisnull(rows, row, 1); });
}

// Whether its keys are in ascending order, from `begin` on and before `end`: else a scan would not come to an end.
bool is_in_order(const PostgresResult& page, std::string_view begin, std::string_view end) {
  const auto keys =
      std::views::iota(0, PQntuples(page.get())) | std::views::transform([&](int row) { return cell(page, row, 0); });
  return keys.empty() || (begin <= keys.front() && keys.back() < end &&
                          std::ranges::adjacent_find(keys, std::ranges::greater_equal()) == keys.end());
}

bool changed_a_row(const PostgresResult& result) { return std::strcmp(PQcmdTuples(result.get()), "1") == 0; }

class PostgresSession final : public Session {
 public:
  PostgresSession(PostgresStore& store, PostgresLease lease) : store_(store), lease_(std::move(lease)) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    std::ranges::fill(values, std::nullopt);
    std::vector<std::string_view> wanted;
    std::ranges::copy_if(keys, std::back_inserter(wanted), can_be_stored);
    if (wanted.empty()) co_return;
    const auto kind = lease_.number() == 0 ? PostgresQuestion::Kind::single : PostgresQuestion::Kind::in_lease;
    PostgresAnswer answer = co_await store_.ask(context,
                                                question(context, kind,
                                                         {.prepared = PostgresPrepared::get,
                                                          .parameters = {text_array(wanted)},
                                                          .max_answer = max_answer_of(wanted.size())},
                                                         lease_.number()),
                                                read_failed);
    if (!has_values(answer.result)) co_await store_.failed(context, read_failed, unexpected_answer());
    keep(keys, values, std::move(answer.result));
  }
  void release() override { lease_ = {}; }
  [[nodiscard]] std::size_t copied() const override { return copied_; }

 private:
  void keep(std::span<const std::string_view> keys, std::span<Value> values, PostgresResult result) {
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

  PostgresStore& store_;
  PostgresLease lease_;
  std::vector<PostgresResult> results_;  // with the values' bytes in them
  std::size_t copied_ = 0;
};

// One statement, of what the changes come to: of two with one key the later counts.
PostgresStatement statement_of(std::span<const Change> changes) {
  std::map<std::string_view, Value> last;  // in the same order in every transaction, so that few wait for one another
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
  if (keys.empty()) return {.prepared = PostgresPrepared::remove, .parameters = {text_array(removed)}};
  if (removed.empty()) {
    return {.prepared = PostgresPrepared::put, .parameters = {text_array(keys), bytea_array(values)}};
  }
  return {.prepared = PostgresPrepared::change,
          .parameters = {text_array(keys), bytea_array(values), text_array(removed)}};
}

}  // namespace

std::expected<std::unique_ptr<PostgresStore>, std::string> PostgresStore::open(const PostgresUrl& url,
                                                                               StoreAccess access) {
  const auto unusable = [&url](const std::string& why) {
    return std::unexpected(url.name + " cannot be used: " + why);
  };
  auto connection = PostgresConnection::open(url);
  if (!connection) return unusable(connection.error().text);
  if (const auto checked = check_table(*connection, url.table, access); !checked) return unusable(checked.error());
  if (const auto prepared = prepare(*connection, url.table); !prepared) return unusable(prepared.error().text);
  if (access != StoreAccess::read) {
    const auto tried = try_to_write(*connection);
    const bool may_be_standby = access != StoreAccess::fill && !url.wants_primary();
    if (!tried && !(tried.error().is_standby && may_be_standby)) {
      return unusable("it takes no writes: " + tried.error().text);
    }
  }
  return std::unique_ptr<PostgresStore>(new PostgresStore(url, std::move(*connection)));
}

KeyValueStore::Traits PostgresStore::traits() const {
  return {.snapshots = true, .compare_and_swap = true, .atomic_batches = true};
}

Task<PostgresAnswer> PostgresStore::ask(Context& context, PostgresQuestion question, std::string_view event) {
  auto call = std::make_shared<PostgresCall>(std::move(question));
  loop_.submit(call);
  auto answer = co_await PostgresCall::outcome_of(context, std::move(call));
  if (!answer) co_return failed(context, event, answer.error());
  co_return std::move(*answer);
}

Task<PostgresResult> PostgresStore::ask_to_write(Context& context, PostgresStatement statement) {
  auto call = std::make_shared<PostgresCall>(question(context, PostgresQuestion::Kind::single, std::move(statement)));
  loop_.submit(call);
  auto answer = co_await PostgresCall::outcome_of(context, std::move(call));
  if (answer) co_return std::move(answer->result);
  if (!answer.error().lost) co_return failed(context, write_failed, answer.error());
  tell(context, answer_lost, answer.error());
  co_return nullptr;
}

std::unexpected<Failure> PostgresStore::failed(Context& context, std::string_view event, const PostgresFault& fault) {
  tell(context, event, fault);
  return std::unexpected(fault.failure);
}

void PostgresStore::tell(Context& context, std::string_view event, const PostgresFault& fault) {
  const std::lock_guard lock(logging_);
  if (fault_.is_due()) context.log.warn(event, name_ + ": " + fault.text);
}

Task<std::unique_ptr<Session>> PostgresStore::open(Context& context) {
  PostgresAnswer begun = co_await ask(context, beginning(context), read_failed);
  co_return std::make_unique<PostgresSession>(*this, std::move(begun.lease));
}

Task<EngineStore::Written> PostgresStore::apply(Context& context, std::span<const Change> changes) {
  const PostgresResult result = co_await ask_to_write(context, statement_of(changes));
  co_return result ? Written::yes : Written::lost;
}

Task<EngineStore::Written> PostgresStore::swap(Context& context, std::string_view key, Value expected,
                                               std::string_view desired) {
  PostgresStatement statement{.prepared = PostgresPrepared::add,
                              .parameters = {std::string(key), std::string(desired)}};
  if (expected) {
    statement = {.prepared = PostgresPrepared::swap,
                 .parameters = {std::string(key), std::string(*expected), std::string(desired)}};
  }
  const PostgresResult result = co_await ask_to_write(context, std::move(statement));
  if (!result) co_return Written::lost;
  co_return changed_a_row(result) ? Written::yes : Written::no;
}

Task<void> PostgresStore::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  const PostgresAnswer begun = co_await ask(context, beginning(context), scan_failed);
  const std::string end = std::string(prefix) + after_every_byte;
  std::string next(prefix);
  while (true) {
    const PostgresAnswer page = co_await ask(context,
                                             question(context, PostgresQuestion::Kind::in_lease,
                                                      {.prepared = PostgresPrepared::page,
                                                       .parameters = {next, end},
                                                       .max_answer = max_answer_of(rows_of_a_page)},
                                                      begun.lease.number()),
                                             scan_failed);
    if (!has_values(page.result) || !is_in_order(page.result, next, end)) {
      co_await failed(context, scan_failed, unexpected_answer());
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

}  // namespace portail
