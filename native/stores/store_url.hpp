// From the text of the setting `store` to a store. Functions of the start of a program; one thread.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "native/stores/store_scheme.hpp"

namespace portail {

// The stores of this build, in the order in which they are told.
std::span<const StoreScheme> store_schemes();

struct StoreUrl {
  const StoreScheme* scheme = nullptr;  // a row of the table
  std::string place;                    // as its functions take it

  // Of a store in a folder of this machine; else empty.
  [[nodiscard]] std::filesystem::path folder() const { return scheme->in_folder ? place : std::string(); }
  // Of one in a file that may have others too; else empty.
  [[nodiscard]] std::filesystem::path file() const;
};

// `memory:`, `lmdb:DIR`, `dir:DIR`, `redis://…` and its kin, `postgres://…` or `spin-sqlite:FILE`. The error is one
// line, of wrong usage: it names what this build supports.
std::expected<StoreUrl, std::string> parse_store_url(std::string_view text);

// The error is one line that says what to do.
OpenedStore open_store(const StoreUrl& url, StoreAccess access);

// To be held while importing into the store, which exists already. Null for a store that no other process can see.
std::expected<HeldImportLock, std::string> lock_for_import(const StoreUrl& url);

// A setting `store` of any kind, for a person: without the user and the password that it may hold.
std::string without_password(std::string_view store);

}  // namespace portail
