// Opens the store that the setting `store` names. For the start of a program; one thread.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "native/stores/store_scheme.hpp"

namespace portail {

// Returns the stores of this build, in the order of messages.
std::span<const StoreScheme> store_schemes();

struct StoreUrl {
  const StoreScheme* scheme = nullptr;  // a row of the table
  std::string location;                 // as the row's functions expect it

  // Returns the folder of a store in a folder of this machine; otherwise empty.
  [[nodiscard]] std::filesystem::path folder() const { return scheme->in_folder ? location : std::string(); }
  // Returns the file of a store in a file, which may contain other stores; otherwise empty.
  [[nodiscard]] std::filesystem::path file() const;
};

// Parses `memory:`, `lmdb:DIR`, `dir:DIR`, `redis://…` and its variants, `postgres://…` or `spin-sqlite:FILE`. The
// error is one line that lists what this build supports.
std::expected<StoreUrl, std::string> parse_store_url(std::string_view text);

// The error is one line that states what to do.
OpenedStore open_store(const StoreUrl& url, StoreAccess access);

// Acquires the lock to hold during an import into the store, which must exist. Returns a null lock for a store that no
// other process can access.
std::expected<HeldImportLock, std::string> acquire_import_lock(const StoreUrl& url);

// Returns what an operator should know about a store that can be opened; unverified is only for StoreAccess::check.
std::vector<StoreWarning> find_warnings(const StoreUrl& url, StoreAccess access = StoreAccess::serve);

// Returns any value of the setting `store` without user and password, for messages.
std::string without_password(std::string_view store);

}  // namespace portail
