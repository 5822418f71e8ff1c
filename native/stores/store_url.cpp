#include "native/stores/store_url.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "native/stores/dir/dir_scheme.hpp"
#include "native/stores/folder_import_lock.hpp"
#include "native/stores/lmdb/lmdb_scheme.hpp"
#include "native/stores/memory/memory_scheme.hpp"
#include "native/stores/postgres/postgres_scheme.hpp"
#include "native/stores/redis/redis_scheme.hpp"
#include "native/stores/spin_sqlite/spin_sqlite_scheme.hpp"

namespace portail {
namespace {

constexpr StoreScheme postgres_scheme(std::string_view name, bool is_variant) {
  return {.name = name,
          .form = "postgres://HOST/DATABASE",
          .is_variant = is_variant,
          .check = check_postgres,
          .open = open_postgres,
          .try_to_write = try_to_write_postgres,
          .lock_for_import = lock_postgres,
          .is_locked = holds_postgres,
          .name_of = name_of_postgres,
          .pool = pool_of_postgres};
}

template <RedisScheme scheme>
constexpr StoreScheme variant_of_redis(std::string_view name, std::string_view form) {
  return {.name = name,
          .form = form,
          .is_variant = true,
          .check = check_redis<scheme>,
          .open = open_redis<scheme>,
          .try_to_write = try_to_write_redis<scheme>,
          .lock_for_import = lock_redis<scheme>,
          .is_locked = holds_redis,
          .name_of = name_of_redis<scheme>,
          .pool = pool_of_redis};
}

constexpr std::array schemes{
    StoreScheme{.name = "memory",
                .form = "memory:",
                .lasts = false,
                .check = check_memory,
                .open = open_memory,
                .lock_for_import = lock_memory},
    StoreScheme{.name = "lmdb",
                .form = "lmdb:DIR",
                .in_folder = true,
                .open = open_lmdb,
                .copy = copy_lmdb_folder,
                .is_shared = is_lmdb_shared,
                .lock_for_import = lock_lmdb,
                .is_locked = holds_folder},
    StoreScheme{.name = "dir",
                .form = "dir:DIR",
                .in_folder = true,
                .open = open_dir,
                .is_shared = is_dir_shared,
                .lock_for_import = lock_dir,
                .is_locked = holds_folder},
    StoreScheme{.name = "redis",
                .form = "redis://HOST",
                .check = check_redis<RedisScheme{}>,
                .open = open_redis<RedisScheme{}>,
                .try_to_write = try_to_write_redis<RedisScheme{}>,
                .lock_for_import = lock_redis<RedisScheme{}>,
                .is_locked = holds_redis,
                .name_of = name_of_redis<RedisScheme{}>,
                .pool = pool_of_redis},
    variant_of_redis<RedisScheme{.tls = true}>("rediss", "rediss://HOST"),
    variant_of_redis<RedisScheme{.sentinels = true}>("redis+sentinel", "redis+sentinel://HOST/PRIMARY"),
    variant_of_redis<RedisScheme{.tls = true, .sentinels = true}>("rediss+sentinel", "rediss+sentinel://HOST/PRIMARY"),
    postgres_scheme("postgres", false),
    postgres_scheme("postgresql", true),
    StoreScheme{.name = "spin-sqlite",
                .form = "spin-sqlite:FILE",
                .file_of = file_of_spin_sqlite,
                .served_by = "Spin",
                .check = check_spin_sqlite,
                .open = open_spin_sqlite,
                .lock_for_import = lock_spin_sqlite,
                .is_locked = holds_folder},
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

// Whatever else stands there may be of a password that lost what was before it.
bool may_be_repeated(std::string_view name) {
  return name.size() <= 10 && std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

std::span<const StoreScheme> store_schemes() { return schemes; }

std::expected<StoreUrl, std::string> parse_store_url(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (const StoreScheme* scheme = scheme_of(text)) {
    const std::string_view place = text.substr(colon + 1);
    if (scheme->in_folder && place.empty()) {
      return std::unexpected("the store " + std::string(name) + ": needs a folder: " + std::string(scheme->form));
    }
    if (scheme->check) {
      if (const auto checked = scheme->check(place); !checked) return std::unexpected(checked.error());
    }
    return StoreUrl{.scheme = scheme, .place = std::string(place)};
  }
  const std::string repeated = may_be_repeated(name) ? " " + std::string(name) : std::string();
  return std::unexpected("unknown store" + repeated + ": " + supported());
}

std::filesystem::path StoreUrl::file() const { return scheme->file_of ? scheme->file_of(place) : std::string_view(); }

OpenedStore open_store(const StoreUrl& url, StoreAccess access) { return url.scheme->open(url.place, access); }

std::expected<HeldImportLock, std::string> lock_for_import(const StoreUrl& url) {
  return url.scheme->lock_for_import(url.place);
}

std::string without_password(std::string_view store) {
  const StoreScheme* scheme = scheme_of(store);
  if (scheme && scheme->name_of) {
    // What follows has no name but those that are known, and so no password.
    const std::size_t query = std::min(store.find('?'), store.size());
    if (const auto name = scheme->name_of(store.substr(scheme->name.size() + 1))) {
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
