// What the program needs of each kind of store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cache_key.hpp"
#include "core/base/context.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Counts of the connections of a store to its server. A value.

struct PoolCounts {
  std::size_t open = 0;
  std::size_t busy = 0;     // of the open ones: with a call in flight, or leased to a request
  std::size_t max = 0;      // limit of the open ones
  std::size_t waiting = 0;  // calls that wait for a connection

  bool operator==(const PoolCounts&) const = default;
};

// Checks whether the files of a store that is served are still those at its path. One thread at a time.

// Logs that a call is refused because the files were replaced, moved away or truncated.
inline void log_replaced(Context& context, std::string_view why) {
  context.log.warn("store: its files were replaced; it is no longer served", why);
}

class ReplacementCheck {
 public:
  // Returns the last result of `check`: why the files were replaced, or nullopt. Calls `check` at most once a second,
  // by the context's clock. The reference is valid until the next call.
  template <typename Check>
  const std::optional<std::string>& fault(const Context& context, Check check) {
    const std::int64_t now = context.clock.now().seconds();
    if (now != checked_at_) {
      checked_at_ = now;
      fault_ = check();
    }
    return fault_;
  }

 private:
  std::int64_t checked_at_ = 0;  // seconds
  std::optional<std::string> fault_;
};

// The row type of the table in store_url.cpp, which describes one kind of store. To add a kind: its directory, with
// functions of these types; its sources in CMakeLists.txt; a row; its row and column in docs/reference/stores.md, and
// its form in the help of the setting `store`.

enum class StoreAccess : std::uint8_t {
  read,    // for tools that read the whole store, which must exist
  check,   // as read; first every file of a folder is checked
  fill,    // for tools that write and read the whole store; creates a missing one
  serve,   // for requests; the store must exist
  create,  // as serve; creates a missing store
};

// The lock that allows one import at a time (docs/how-to/import.md, "What it does"). The last owner releases it.
using HeldImportLock = std::shared_ptr<void>;

// What an operator should know about a store that can be opened.
struct StoreWarning {
  enum class Kind : std::uint8_t {
    refuses_writes,
    may_lose_values,
    unverified,  // it may lose values; only `check` reports it
  };
  Kind kind;
  std::string detail;  // the reason, and what to do
};

using OpenedStore = std::expected<std::unique_ptr<KeyValueStore>, std::string>;

// A row of the table in store_url.cpp. `location` is the part of the URL after the colon. It may contain a password, so
// no error contains all of it. Errors are one line that states what to do.
struct StoreScheme {
  std::string_view name;      // before the colon
  std::string_view form;      // for messages: "lmdb:DIR"
  bool is_variant = false;    // of the row before it; not listed in messages
  bool in_folder = false;     // the location is a folder of this machine, and must not be empty
  bool is_persistent = true;  // the data outlive the program
  // Returns the file of the location; other locations may share that file. Null if locations are not in a file.
  std::string_view (*file_of)(std::string_view location) = nullptr;
  // The program that owns the store and serves from it; this program only imports, exports and the like. Empty if this
  // program serves from it.
  std::string_view served_by = {};
  // Hosts of WebAssembly write to such stores too: an import of this program respects their lock.
  bool has_guests = false;
  // Checks the syntax of the location. Null if every location is valid.
  std::expected<void, std::string> (*check)(std::string_view location) = nullptr;
  OpenedStore (*open)(std::string_view location, StoreAccess access);
  // Tests what opening the store for requests does not, such as whether it accepts writes. Null if opening tests all.
  std::vector<StoreWarning> (*find_warnings)(std::string_view location) = nullptr;
  // Copies the store at `location` into the folder `to` while other processes use it; both are of this kind
  // (native/stores/lmdb/lmdb_copy.hpp). Null if the engine has its own means, or a copy of the files is sufficient.
  std::expected<void, std::string> (*copy)(std::string_view location, std::string_view to) = nullptr;
  // Returns whether another process also uses the store, which `open` opened. Null if that cannot be determined.
  std::expected<bool, std::string> (*is_shared)(KeyValueStore& store) = nullptr;
  // Acquires the lock of a store that exists. Returns a null lock for a store that no other process can access.
  std::expected<HeldImportLock, std::string> (*acquire_import_lock)(std::string_view location);
  // Returns whether the lock is still held. Null if only its owner can release it.
  bool (*holds_import_lock)(const HeldImportLock& lock) = nullptr;
  // Returns the location without secrets, for messages; nullopt if it is invalid. Null if locations contain no secrets.
  std::optional<std::string> (*display_name)(std::string_view location) = nullptr;
  // Returns the connection counts of a store that `open` opened; any thread. Null if it has no pool.
  PoolCounts (*pool)(KeyValueStore& store) = nullptr;
  // Returns the counts of the cache of values of a store that `open` opened; any thread. Null if it has none.
  CacheCounts (*cache)(KeyValueStore& store) = nullptr;
};

}  // namespace portail
