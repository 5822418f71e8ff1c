// The one table of a store in PostgreSQL, and its statements. One thread at a time, as the connection.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::postgres {

// The names of the prepared statements, with their parameters and rows.
struct StatementName {
  static constexpr const char* get = "portail_get";        // keys → key, value of each key that exists
  static constexpr const char* page = "portail_page";      // first key, end key (exclusive) → key, value in byte order:
                                                           // the first 128 rows, of 256 KiB at most
  static constexpr const char* put = "portail_put";        // keys, values
  static constexpr const char* remove = "portail_remove";  // keys
  static constexpr const char* change = "portail_change";  // keys, values; keys to remove
  static constexpr const char* add = "portail_add";        // key, value: changes a row if the key did not exist
  static constexpr const char* swap = "portail_swap";      // key, expected, desired: changes a row if the value matched
};

// Prepares the statements of the connection, and its parameters. The table must exist.
std::expected<void, Fault> prepare(Connection& connection, const std::string& table);

// Checks the server's version and the table's columns; unless `access` only reads, also that the table keeps everything
// that is written to it. Creates a missing table if `access` allows that. The error is one line that states what to do.
std::expected<void, std::string> check_table(Connection& connection, const Url& url, StoreAccess access);

// Writes, changes and removes a value in a transaction that is rolled back. The connection must be prepared.
std::expected<void, Fault> try_to_write(Connection& connection);
// Returns the fault's message and, if it is a missing right or a server that is read-only, what to do about it.
std::string with_remedy(Connection& connection, const Url& url, const Fault& fault);

// Returns the statement that creates the table, as in docs/reference/stores.md.
std::string table_definition(const std::string& table);

// Returns why the server's version cannot be used; empty if it can. `description` is the result of `SELECT version()`.
// Other engines that use PostgreSQL's protocol have version numbers of their own and are accepted.
std::string version_fault(std::string_view description);

// Encode an array of text or bytea as a parameter in the binary format.
std::string text_array(std::span<const std::string_view> elements);
std::string bytea_array(std::span<const std::string_view> elements);

}  // namespace portail::postgres
