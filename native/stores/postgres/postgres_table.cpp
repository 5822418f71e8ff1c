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

namespace portail::postgres {
namespace {

constexpr int min_version = 15;

std::string_view cell(const PGresult& result, int row, int column) {
  return {PQgetvalue(&result, row, column), static_cast<std::size_t>(PQgetlength(&result, row, column))};
}

std::string with_table_name(std::string_view text, const std::string& table) {
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

// Each statement finds its rows by the index, also in a table that was empty when the statement was planned.
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

// Returns one row for each column of the table.
constexpr std::string_view columns_query =
    "SELECT a.attname, format_type(a.atttypid, a.atttypmod), coalesce(c.collname, ''), a.attnotnull,"
    " EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indnatts = 1"
    " AND i.indkey[0] = a.attnum AND i.indpred IS NULL AND i.indimmediate AND i.indisvalid)"
    " FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation"
    " WHERE a.attrelid = to_regclass('@') AND a.attnum > 0 AND NOT a.attisdropped";

// Returns the table's kind, its persistence, whether it has row-level security, and the number of constraints on its
// values.
constexpr std::string_view table_query =
    "SELECT relkind, relpersistence, relrowsecurity, (SELECT count(*) FROM pg_constraint"
    " WHERE conrelid = pg_class.oid AND contype IN ('c', 'f', 'x')) FROM pg_class WHERE oid = to_regclass('@')";

// Returns the schemas that the server leaves out of the search path for want of a right, if they have the table or no
// schema is left.
constexpr std::string_view hidden_schema_query =
    "SELECT nspname FROM pg_namespace n WHERE NOT has_schema_privilege(oid, 'USAGE')"
    " AND nspname = ANY (string_to_array(translate(current_setting('search_path'), '\" ', ''), ','))"
    " AND (EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = '@')"
    " OR (current_schema() IS NULL AND '@' NOT LIKE '%.%'))";

constexpr std::string_view rights_remedy =
    "; grant USAGE on the schema, SELECT, INSERT, UPDATE and DELETE on the table, and CREATE on the schema if the "
    "table "
    "is missing";

// The key is not one of the portal's.
constexpr std::string_view trial_statements =
    "BEGIN;"
    "EXECUTE portail_put (ARRAY['portail:trial'], ARRAY[''::bytea]);"
    "EXECUTE portail_swap ('portail:trial', '', 'x');"
    "EXECUTE portail_remove (ARRAY['portail:trial']);"
    "ROLLBACK";

std::string unusable_table(const std::string& table, std::string_view what) {
  return "its table " + table + " is not the portal's: " + std::string(what) +
         " (docs/reference/stores.md has the statement)";
}

// Returns why the columns cannot be used; empty if they can.
std::string columns_fault(const PGresult& columns, const std::string& table) {
  bool has_key = false;
  bool has_value = false;
  for (int row = 0; row < PQntuples(&columns); ++row) {
    const std::string_view name = cell(columns, row, 0);
    const std::string_view type = cell(columns, row, 1);
    const std::string_view collation = cell(columns, row, 2);
    if (name == "key") {
      has_key = true;
      if (type != "text") return unusable_table(table, "the column key is not of type text");
      if (collation != "C") return unusable_table(table, "the column key is not sorted by bytes, COLLATE \"C\"");
      if (cell(columns, row, 4) != "t")
        return unusable_table(table, "the column key is not the primary key, or is deferrable");
    } else if (name == "value") {
      has_value = true;
      if (type != "bytea") return unusable_table(table, "the column value is not of type bytea");
      if (cell(columns, row, 3) != "t") return unusable_table(table, "the column value is nullable");
    }
  }
  if (!has_key) return unusable_table(table, "it has no column key");
  if (!has_value) return unusable_table(table, "it has no column value");
  return {};
}

// Returns why a portal cannot write to the table; empty if it can.
std::string table_fault(const PGresult& properties, const std::string& table) {
  if (cell(properties, 0, 0) != "r") return unusable_table(table, "it is not an ordinary table");
  if (cell(properties, 0, 1) != "p") return unusable_table(table, "it is unlogged: a crash of the server empties it");
  if (cell(properties, 0, 2) != "f") return unusable_table(table, "it has row-level security");
  if (cell(properties, 0, 3) != "0") return unusable_table(table, "it has check, foreign key or exclusion constraints");
  return {};
}

// Returns what to do about a server that is read-only: it is a standby, or a setting makes it so.
std::string_view read_only_remedy(Connection& connection, const Url& url) {
  const auto recovery = connection.execute({.sql = "SELECT pg_is_in_recovery()"}, engine::default_deadline());
  if (!recovery || PQntuples(recovery->get()) != 1) return {};
  if (cell(**recovery, 0, 0) == "f")
    return "; set default_transaction_read_only = off for the user, the database or the server";
  if (url.value("host", "PGHOST", "").contains(',')) return "; set target_session_attrs=read-write";
  return "; name a server that accepts writes";
}

void append_number(std::string& out, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(number >> shift & 0xffU);
}

// Encodes one dimension without nulls; the length of each element precedes it.
std::string encode_array(std::uint32_t type, std::span<const std::string_view> elements) {
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

std::expected<void, Fault> prepare(Connection& connection, const std::string& table) {
  const auto prepared = connection.execute({.sql = with_table_name(preparation, table)}, engine::default_deadline());
  if (!prepared) return std::unexpected(prepared.error());
  return {};
}

std::expected<void, std::string> check_table(Connection& connection, const Url& url, StoreAccess access) {
  const std::string& table = url.table;
  const auto version = connection.execute({.sql = "SELECT version()"}, engine::default_deadline());
  if (!version) return std::unexpected(version.error().message);
  if (auto refused = version_fault(cell(**version, 0, 0)); !refused.empty()) {
    return std::unexpected(std::move(refused));
  }
  const Statement query{.sql = with_table_name(columns_query, table)};
  auto columns = connection.execute(query, engine::default_deadline());
  const bool create = access == StoreAccess::fill || access == StoreAccess::create;
  std::expected<Result, Fault> created;
  if (columns && PQntuples(columns->get()) == 0 && create) {
    created = connection.execute({.sql = table_definition(table)}, engine::default_deadline());
    columns = connection.execute(query, engine::default_deadline());
  }
  if (!columns) return std::unexpected(with_remedy(connection, url, columns.error()));
  if (PQntuples(columns->get()) == 0) {
    const Statement hidden_query{.sql = with_table_name(hidden_schema_query, table)};
    const auto hidden = connection.execute(hidden_query, engine::default_deadline());
    if (hidden && PQntuples(hidden->get()) > 0) {
      return std::unexpected("the user lacks USAGE on the schema " + std::string(cell(**hidden, 0, 0)) +
                             " of its search path" + std::string(rights_remedy));
    }
    // Otherwise another process may have created it at the same time.
    if (!created) {
      return std::unexpected("its table " + table +
                             " cannot be created: " + with_remedy(connection, url, created.error()));
    }
    return std::unexpected("it has no table " + table + ": portail check --create makes it, and so does an import");
  }
  if (auto fault = columns_fault(**columns, table); !fault.empty()) return std::unexpected(std::move(fault));
  if (access == StoreAccess::read) return {};
  const auto properties = connection.execute({.sql = with_table_name(table_query, table)}, engine::default_deadline());
  if (!properties) return std::unexpected(properties.error().message);
  if (auto fault = table_fault(**properties, table); !fault.empty()) return std::unexpected(std::move(fault));
  return {};
}

std::expected<void, Fault> try_to_write(Connection& connection) {
  const auto tried = connection.execute({.sql = std::string(trial_statements)}, engine::default_deadline());
  if (tried) return {};
  if (!tried.error().connection_lost) {
    if (const auto undone = connection.execute({.sql = "ROLLBACK"}, engine::default_deadline()); !undone) {
      return std::unexpected(undone.error());
    }
  }
  return std::unexpected(tried.error());
}

std::string with_remedy(Connection& connection, const Url& url, const Fault& fault) {
  if (fault.is_denied) return fault.message + std::string(rights_remedy);
  if (fault.is_standby) return fault.message + std::string(read_only_remedy(connection, url));
  return fault.message;
}

std::string table_definition(const std::string& table) {
  return "CREATE TABLE " + table + " (key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL)";
}

std::string version_fault(std::string_view description) {
  constexpr std::string_view own_name = "PostgreSQL ";
  if (!description.starts_with(own_name) || description.contains("-YB-")) return {};
  const std::string_view number = description.substr(own_name.size());
  int major = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), major);
  if (error != std::errc{} || major >= min_version) return {};
  return "it is PostgreSQL " + std::to_string(major) + "; the portal requires 15 or later";
}

std::string text_array(std::span<const std::string_view> elements) {
  constexpr std::uint32_t text_type = 25;
  return encode_array(text_type, elements);
}
std::string bytea_array(std::span<const std::string_view> elements) {
  constexpr std::uint32_t bytea_type = 17;
  return encode_array(bytea_type, elements);
}

}  // namespace portail::postgres
