// The one table of a store in PostgreSQL, and the statements that work on it. One thread at a time, as the connection.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "native/stores/postgres/postgres_connection.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail {

// The names of the prepared statements; what each takes and gives:
struct PostgresPrepared {
  static constexpr const char* get = "portail_get";        // keys → key, value of those that are there
  static constexpr const char* page = "portail_page";      // key, key → key, value from the one to before the other, in
                                                           // the order of bytes: the first 128, of 256 KiB at most
  static constexpr const char* put = "portail_put";        // keys, values
  static constexpr const char* remove = "portail_remove";  // keys
  static constexpr const char* change = "portail_change";  // keys, values; keys to remove
  static constexpr const char* add = "portail_add";        // key, value: a row where there was none
  static constexpr const char* swap = "portail_swap";      // key, expected, desired: a row where that was expected
};

// The connection as the store needs it: the statements are prepared. The table is as the store needs it, too.
std::expected<void, PostgresFault> prepare(PostgresConnection& connection, const std::string& table);

// Whether the table is there and has the columns that it should have, and the server is one that can be used; for
// anything but reading, whether it keeps whatever is written to it, too. It is made first where `access` says so and
// there is none. The error is one line that says what to do.
std::expected<void, std::string> check_table(PostgresConnection& connection, const std::string& table,
                                             StoreAccess access);

// Writes, changes and removes a value in a transaction that is undone. The connection is prepared.
std::expected<void, PostgresFault> try_to_write(PostgresConnection& connection);

// The statement that makes the table, as docs/reference/stores.md has it.
std::string table_definition(const std::string& table);

// Why the server's own description of its version, as `SELECT version()` gives it, is none that can be used; empty
// where it is. Engines that only speak PostgreSQL's protocol count by their own rules, which are not ours to know.
std::string refused_version(std::string_view description);

// An array as a parameter in the binary format: of text, or of bytea.
std::string text_array(std::span<const std::string_view> elements);
std::string bytea_array(std::span<const std::string_view> elements);

}  // namespace portail
