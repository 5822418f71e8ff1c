// From the text of the setting `store` to a store. Functions of the start of a program; one thread.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/storage/key_value_store.hpp"
#include "native/stores/import_lock.hpp"
#include "native/stores/redis/redis_import_lock.hpp"
#include "native/stores/redis/redis_url.hpp"

namespace portail {

struct StoreUrl {
  enum class Kind : std::uint8_t { memory, lmdb, dir, redis };
  Kind kind = Kind::memory;
  std::filesystem::path folder = {};  // of an lmdb: or a dir: store
  RedisUrl redis = {};                // of a redis: store
};

// `memory:`, `lmdb:DIR`, `dir:DIR` or `redis://…`. The error is one line, of wrong usage: it names what this build
// supports.
std::expected<StoreUrl, std::string> parse_store_url(std::string_view text);

enum class StoreAccess : std::uint8_t {
  read,   // the store must be there; for tools that pass over all of it
  check,  // as read, and every page or file is looked at first
  fill,   // for tools that write and pass over all of it; made where it is missing
  serve,  // for requests; made where it is missing
};

// The error is one line that says what to do.
std::expected<std::unique_ptr<KeyValueStore>, std::string> open_store(const StoreUrl& url, StoreAccess access);

using HeldImportLock = std::variant<ImportLock, RedisImportLock>;

// To be held while importing into the store, which exists already. Nothing for a store that no other process can see.
std::expected<std::optional<HeldImportLock>, std::string> lock_for_import(const StoreUrl& url);

}  // namespace portail
