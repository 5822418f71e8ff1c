#include "native/stores/postgres/postgres_table.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace portail {
namespace {

constexpr int least_version = 15;

std::string_view cell(const PGresult& result, int row, int column) {
  return {PQgetvalue(&result, row, column), static_cast<std::size_t>(PQgetlength(&result, row, column))};
}

std::string replaced(std::string_view text, const std::string& table) {
  std::string with_table;
  for (const char c : text) {
    if (c == '@') {
      with_table += table;
    } else {
      with_table += c;
    }
  }
  return with_table;
}

// Each finds its rows by key, also in a table that was empty when they were planned.
constexpr std::string_view preparation =
    "SET default_transaction_isolation = 'read committed';"
    "SET enable_seqscan = off;"
    "SET plan_cache_mode = force_generic_plan;"
    "PREPARE portail_get (text[]) AS SELECT key, value FROM @ WHERE key = ANY ($1);"
    "PREPARE portail_page (text, text) AS SELECT key, value FROM @ WHERE key >= $1 AND key < $2 ORDER BY key LIMIT 128;"
    "PREPARE portail_put (text[], bytea[]) AS INSERT INTO @ (key, value) SELECT * FROM unnest($1, $2)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value;"
    "PREPARE portail_remove (text[]) AS DELETE FROM @ WHERE key = ANY ($1);"
    "PREPARE portail_change (text[], bytea[], text[]) AS WITH removed AS (DELETE FROM @ WHERE key = ANY ($3))"
    " INSERT INTO @ (key, value) SELECT * FROM unnest($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value;"
    "PREPARE portail_add (text, bytea) AS INSERT INTO @ (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING;"
    "PREPARE portail_swap (text, bytea, bytea) AS UPDATE @ SET value = $3 WHERE key = $1 AND value = $2";

// One row for each column of the table that can be found under that name.
constexpr std::string_view columns_query =
    "SELECT a.attname, format_type(a.atttypid, a.atttypmod), coalesce(c.collname, ''), a.attnotnull,"
    " EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indnatts = 1"
    " AND i.indkey[0] = a.attnum AND i.indpred IS NULL AND i.indimmediate AND i.indisvalid)"
    " FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation"
    " WHERE a.attrelid = to_regclass('@') AND a.attnum > 0 AND NOT a.attisdropped";

// Of the table itself: its kind, whether it outlives a crash, whether row security hides rows from some users, and how
// many conditions there are on its values.
constexpr std::string_view table_query =
    "SELECT relkind, relpersistence, relrowsecurity, (SELECT count(*) FROM pg_constraint"
    " WHERE conrelid = pg_class.oid AND contype IN ('c', 'f', 'x')) FROM pg_class WHERE oid = to_regclass('@')";

// No key of the portal.
constexpr std::string_view trial =
    "BEGIN;"
    "EXECUTE portail_put (ARRAY['portail:trial'], ARRAY[''::bytea]);"
    "EXECUTE portail_swap ('portail:trial', '', 'x');"
    "EXECUTE portail_remove (ARRAY['portail:trial']);"
    "ROLLBACK";

std::string wrong_column(const std::string& table, std::string_view what) {
  return "its table " + table + " is not the portal's: " + std::string(what) +
         " (docs/reference/stores.md has the statement)";
}

// What is wrong with the columns; empty where nothing is.
std::string fault_of_columns(const PGresult& columns, const std::string& table) {
  bool has_key = false;
  bool has_value = false;
  for (int row = 0; row < PQntuples(&columns); ++row) {
    const std::string_view name = cell(columns, row, 0);
    const std::string_view type = cell(columns, row, 1);
    const std::string_view collation = cell(columns, row, 2);
    if (name == "key") {
      has_key = true;
      if (type != "text") return wrong_column(table, "the column key is no text");
      if (collation != "C") return wrong_column(table, "the column key is not sorted by bytes, COLLATE \"C\"");
      if (cell(columns, row, 4) != "t")
        return wrong_column(table, "the column key is no primary key, or a deferrable one");
    } else if (name == "value") {
      has_value = true;
      if (type != "bytea") return wrong_column(table, "the column value is no bytea");
      if (cell(columns, row, 3) != "t") return wrong_column(table, "the column value may be null");
    }
  }
  if (!has_key) return wrong_column(table, "it has no column key");
  if (!has_value) return wrong_column(table, "it has no column value");
  return {};
}

// What keeps it from being written to, as a portal does; empty where nothing does.
std::string fault_of_table(const PGresult& about, const std::string& table) {
  if (cell(about, 0, 0) != "r") return wrong_column(table, "it is no plain table");
  if (cell(about, 0, 1) != "p") return wrong_column(table, "it is unlogged: a crash of the server empties it");
  if (cell(about, 0, 2) != "f") return wrong_column(table, "it has row-level security");
  if (cell(about, 0, 3) != "0") return wrong_column(table, "it has conditions on what may be written");
  return {};
}

void append_number(std::string& out, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(number >> shift & 0xffU);
}

// One dimension, no nulls; each element behind its length.
std::string array_of(std::uint32_t type, std::span<const std::string_view> elements) {
  std::string out;
  append_number(out, 1);
  append_number(out, 0);
  append_number(out, type);
  append_number(out, static_cast<std::uint32_t>(elements.size()));
  append_number(out, 1);
  for (const std::string_view element : elements) {
    append_number(out, static_cast<std::uint32_t>(element.size()));
    out += element;
  }
  return out;
}

}  // namespace

std::expected<void, PostgresFault> prepare(PostgresConnection& connection, const std::string& table) {
  const auto prepared = connection.ask({.sql = replaced(preparation, table)}, usual_deadline());
  if (!prepared) return std::unexpected(prepared.error());
  return {};
}

std::expected<void, std::string> check_table(PostgresConnection& connection, const std::string& table,
                                             StoreAccess access) {
  const auto version = connection.ask({.sql = "SELECT version()"}, usual_deadline());
  if (!version) return std::unexpected(version.error().text);
  if (auto refused = refused_version(cell(**version, 0, 0)); !refused.empty()) {
    return std::unexpected(std::move(refused));
  }
  const PostgresStatement query{.sql = replaced(columns_query, table)};
  auto columns = connection.ask(query, usual_deadline());
  const bool create = access == StoreAccess::fill || access == StoreAccess::create;
  if (columns && PQntuples(columns->get()) == 0 && create) {
    const auto made = connection.ask({.sql = table_definition(table)}, usual_deadline());
    columns = connection.ask(query, usual_deadline());
    // Another process may have made it at the same time.
    if (!made && columns && PQntuples(columns->get()) == 0) {
      return std::unexpected("its table " + table + " cannot be made: " + made.error().text);
    }
  }
  if (!columns) return std::unexpected(columns.error().text);
  if (PQntuples(columns->get()) == 0) {
    return std::unexpected("it has no table " + table + ": portail check --create makes it, and so does an import");
  }
  if (auto fault = fault_of_columns(**columns, table); !fault.empty()) return std::unexpected(std::move(fault));
  if (access == StoreAccess::read) return {};
  const auto about = connection.ask({.sql = replaced(table_query, table)}, usual_deadline());
  if (!about) return std::unexpected(about.error().text);
  if (auto fault = fault_of_table(**about, table); !fault.empty()) return std::unexpected(std::move(fault));
  return {};
}

std::expected<void, PostgresFault> try_to_write(PostgresConnection& connection) {
  const auto tried = connection.ask({.sql = std::string(trial)}, usual_deadline());
  if (tried) return {};
  if (!tried.error().lost) {
    if (const auto undone = connection.ask({.sql = "ROLLBACK"}, usual_deadline()); !undone) {
      return std::unexpected(undone.error());
    }
  }
  return std::unexpected(tried.error());
}

std::string table_definition(const std::string& table) {
  return "CREATE TABLE " + table + " (key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL)";
}

std::string refused_version(std::string_view description) {
  constexpr std::string_view own_name = "PostgreSQL ";
  if (!description.starts_with(own_name) || description.contains("-YB-")) return {};
  const std::string_view number = description.substr(own_name.size());
  int major = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), major);
  if (error != std::errc{} || major >= least_version) return {};
  return "it is PostgreSQL " + std::to_string(major) + ", and 15 is the oldest that the portal works with";
}

std::string text_array(std::span<const std::string_view> elements) {
  constexpr std::uint32_t text_type = 25;
  return array_of(text_type, elements);
}
std::string bytea_array(std::span<const std::string_view> elements) {
  constexpr std::uint32_t bytea_type = 17;
  return array_of(bytea_type, elements);
}

}  // namespace portail
