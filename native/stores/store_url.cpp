#include "native/stores/store_url.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage/memory_store.hpp"
#include "native/stores/dir/dir_store.hpp"
#include "native/stores/folder_use.hpp"
#include "native/stores/lmdb/lmdb_copy.hpp"
#include "native/stores/lmdb/lmdb_store.hpp"
#include "native/stores/postgres/postgres_scheme.hpp"
#include "native/stores/redis/redis_scheme.hpp"
#include "native/stores/spin_sqlite/spin_sqlite_store.hpp"

namespace portail {
namespace {

std::expected<void, std::string> check_memory_location(std::string_view location) {
  if (location.empty()) return {};
  return std::unexpected("the store memory: must have nothing after the colon");
}

std::expected<HeldImportLock, std::string> no_import_lock(std::string_view) { return nullptr; }

OpenedStore open_lmdb_store(std::string_view folder, StoreAccess access) {
  const bool writes = access != StoreAccess::read && access != StoreAccess::check;
  return lmdb::Store::open(folder, {.create = access == StoreAccess::fill || access == StoreAccess::create,
                                    .read_only = !writes,
                                    .releases_pages = !writes || access == StoreAccess::fill});
}

constexpr StoreScheme postgres_scheme(std::string_view name, bool is_variant) {
  return {.name = name,
          .form = "postgres://HOST/DATABASE",
          .is_variant = is_variant,
          .check = postgres::check_location,
          .open = postgres::open_store,
          .find_warnings = postgres::find_warnings,
          .acquire_import_lock = postgres::acquire_import_lock,
          .holds_import_lock = postgres::holds_import_lock,
          .display_name = postgres::display_name,
          .pool = postgres::pool_counts};
}

template <redis::Scheme scheme>
constexpr StoreScheme redis_scheme(std::string_view name, std::string_view form, bool is_variant) {
  return {.name = name,
          .form = form,
          .is_variant = is_variant,
          .has_guests = true,
          .check = redis::check_location<scheme>,
          .open = redis::open_store<scheme>,
          .find_warnings = redis::find_warnings<scheme>,
          .acquire_import_lock = redis::acquire_import_lock<scheme>,
          .holds_import_lock = redis::holds_import_lock,
          .display_name = redis::display_name<scheme>,
          .pool = redis::pool_counts};
}

constexpr std::array schemes{
    StoreScheme{.name = "memory",
                .form = "memory:",
                .is_persistent = false,
                .check = check_memory_location,
                .open = [](std::string_view, StoreAccess) -> OpenedStore { return std::make_unique<MemoryStore>(); },
                .acquire_import_lock = no_import_lock},
    StoreScheme{.name = "lmdb",
                .form = "lmdb:DIR",
                .in_folder = true,
                .open = open_lmdb_store,
                .copy = [](std::string_view from, std::string_view to) { return lmdb::copy_store(from, to); },
                .is_shared = [](KeyValueStore& store) { return static_cast<lmdb::Store&>(store).is_shared(); },
                .acquire_import_lock = [](std::string_view folder) { return acquire_folder_import_lock(folder); },
                .holds_import_lock = holds_folder_import_lock},
    StoreScheme{.name = "dir",
                .form = "dir:DIR",
                .in_folder = true,
                .has_guests = true,
                .open = dir::open_store,
                .is_shared = dir::is_shared,
                .acquire_import_lock = dir::acquire_import_lock,
                .holds_import_lock = holds_folder_import_lock,
                .cache = dir::cache_counts},
    redis_scheme<redis::Scheme{}>("redis", "redis://HOST", false),
    redis_scheme<redis::Scheme{.tls = true}>("rediss", "rediss://HOST", true),
    redis_scheme<redis::Scheme{.sentinels = true}>("redis+sentinel", "redis+sentinel://HOST/PRIMARY", true),
    redis_scheme<redis::Scheme{.tls = true, .sentinels = true}>("rediss+sentinel", "rediss+sentinel://HOST/PRIMARY",
                                                                true),
    postgres_scheme("postgres", false),
    postgres_scheme("postgresql", true),
    StoreScheme{.name = "spin-sqlite",
                .form = "spin-sqlite:FILE",
                .file_of = spin_sqlite::file_of,
                .served_by = "Spin",
                .has_guests = true,
                .check = spin_sqlite::check_location,
                .open = spin_sqlite::open_store,
                .acquire_import_lock = spin_sqlite::acquire_import_lock,
                .holds_import_lock = holds_folder_import_lock},
};

// "this version supports memory:, lmdb:DIR and dir:DIR"
std::string supported() {
  std::string text = "this version supports ";
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    if (schemes[i].is_variant) continue;
    if (i > 0) text += i + 1 < schemes.size() ? ", " : " and ";
    text += schemes[i].form;
  }
  return text;
}

const StoreScheme* scheme_of(std::string_view text) {
  const auto found = std::ranges::find_if(schemes, [text](const StoreScheme& scheme) {
    return text.starts_with(scheme.name) && text.substr(scheme.name.size()).starts_with(':');
  });
  return found == schemes.end() ? nullptr : &*found;
}

// Other text may be part of a password whose URL was cut off at the start.
bool is_safe_to_print(std::string_view name) {
  return name.size() <= 10 && std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

std::span<const StoreScheme> store_schemes() { return schemes; }

std::expected<StoreUrl, std::string> parse_store_url(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (const StoreScheme* scheme = scheme_of(text)) {
    const std::string_view location = text.substr(colon + 1);
    if (scheme->in_folder && location.empty()) {
      return std::unexpected("the store " + std::string(name) + ": needs a folder: " + std::string(scheme->form));
    }
    if (scheme->check) {
      if (const auto checked = scheme->check(location); !checked) return std::unexpected(checked.error());
    }
    return StoreUrl{.scheme = scheme, .location = std::string(location)};
  }
  const std::string repeated = is_safe_to_print(name) ? " " + std::string(name) : std::string();
  return std::unexpected("unknown store" + repeated + ": " + supported());
}

std::filesystem::path StoreUrl::file() const {
  return scheme->file_of ? scheme->file_of(location) : std::string_view();
}

OpenedStore open_store(const StoreUrl& url, StoreAccess access) { return url.scheme->open(url.location, access); }

std::vector<StoreWarning> find_warnings(const StoreUrl& url, StoreAccess access) {
  auto warnings = url.scheme->find_warnings ? url.scheme->find_warnings(url.location) : std::vector<StoreWarning>();
  if (access == StoreAccess::check) return warnings;
  std::erase_if(warnings, [](const auto& warning) { return warning.kind == StoreWarning::Kind::unverified; });
  return warnings;
}

std::expected<HeldImportLock, std::string> acquire_import_lock(const StoreUrl& url) {
  return url.scheme->acquire_import_lock(url.location);
}

std::string without_password(std::string_view store) {
  const StoreScheme* scheme = scheme_of(store);
  if (scheme && scheme->display_name) {
    // The query has known parameters only, which contain no password.
    const std::size_t query = std::min(store.find('?'), store.size());
    if (const auto name = scheme->display_name(store.substr(scheme->name.size() + 1))) {
      return *name + std::string(store.substr(query));
    }
  }
  const std::size_t begin = store.find("//");
  const std::size_t end = store.rfind('@');
  const bool has_user = begin != std::string_view::npos && end != std::string_view::npos && begin < end;
  if ((scheme && scheme->in_folder) || !has_user) return std::string(store);
  return std::string(store.substr(0, begin + 2)).append(store.substr(end + 1));
}

}  // namespace portail
