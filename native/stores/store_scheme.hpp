// What a row of the table in store_url.cpp says of one kind of store. To add one: its folder, with functions of these
// types; its sources in CMakeLists.txt; a row; its row and column in docs/reference/stores.md, and its form in the help
// of the setting `store`.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/storage/key_value_store.hpp"
#include "native/stores/pool_counts.hpp"

namespace portail {

enum class StoreAccess : std::uint8_t {
  read,    // the store must be there; for tools that pass over all of it
  check,   // as read, and every file of a folder is looked at first
  fill,    // for tools that write and pass over all of it; made where it is missing
  serve,   // for requests; the store must be there
  create,  // as serve, and made where it is missing
};

// One import at a time (docs/how-to/import.md, "What it does"): the holder of this lock imports, and its last owner
// releases it.
using HeldImportLock = std::shared_ptr<void>;

using OpenedStore = std::expected<std::unique_ptr<KeyValueStore>, std::string>;

// Errors are one line that says what to do. `place` is what follows the colon, and may hold a password: no error says
// it whole.
struct StoreScheme {
  std::string_view name;    // before the colon
  std::string_view form;    // how a person is told to write it: "lmdb:DIR"
  bool is_variant = false;  // of the row before it, and told of there
  bool in_folder = false;   // the place is a folder of this machine, and not empty
  bool lasts = true;        // when the program has ended
  // The file of this machine that the place is in, which may have other places too. Null where there is no such file.
  std::string_view (*file_of)(std::string_view place) = nullptr;
  // The program whose store it is, and which serves from it: here it is for import, export and the like. Empty where
  // requests are served from it here.
  std::string_view served_by = {};
  // Whether there can be such a place; null where every one can be.
  std::expected<void, std::string> (*check)(std::string_view place) = nullptr;
  OpenedStore (*open)(std::string_view place, StoreAccess access);
  // Whether the place takes writes: opening for requests takes it without. Null where it does not.
  std::expected<void, std::string> (*try_to_write)(std::string_view place) = nullptr;
  // Copies the store at `place` into the folder `to` while others use it, both of this kind
  // (native/stores/lmdb/lmdb_copy.hpp). Null where the engine has means of its own, or a copy of the files will do.
  std::expected<void, std::string> (*copy)(std::string_view place, std::string_view to) = nullptr;
  // Whether another process uses the store too, of one that `open` opened. Null where that cannot be found out.
  std::expected<bool, std::string> (*is_shared)(KeyValueStore& store) = nullptr;
  // Of a store that exists already. Null for one that no other process can see.
  std::expected<HeldImportLock, std::string> (*lock_for_import)(std::string_view place);
  // Whether it still is held; null where only its owner can end it.
  bool (*is_locked)(const HeldImportLock& lock) = nullptr;
  // What the place is called before a person, without what may be secret; nothing where it is none. Null where a place
  // holds no secret.
  std::optional<std::string> (*name_of)(std::string_view place) = nullptr;
  // Of a store that `open` opened, from any thread. Null where it shares no connections out.
  PoolCounts (*pool)(KeyValueStore& store) = nullptr;
};

}  // namespace portail
