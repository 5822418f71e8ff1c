// redis://HOST, a server for several machines, and its variants with TLS and with sentinels: the functions of their
// rows in native/stores/store_url.cpp.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/stores/engine/engine_call.hpp"
#include "native/stores/redis/redis_import_lock.hpp"
#include "native/stores/redis/redis_primary.hpp"
#include "native/stores/redis/redis_store.hpp"
#include "native/stores/redis/redis_trial.hpp"
#include "native/stores/redis/redis_url.hpp"
#include "native/stores/store_scheme.hpp"

namespace portail::redis {

template <Scheme scheme>
std::expected<void, std::string> check_location(std::string_view location) {
  return parse_url(location, scheme).transform([](const Url&) {});
}

template <Scheme scheme>
OpenedStore open_store(std::string_view location, StoreAccess access) {
  return parse_url(location, scheme).and_then([access](const Url& url) -> OpenedStore {
    // Reads, and a portal that serves, also work over a replica; every other use fails with an error.
    const bool must_accept_writes = access != StoreAccess::read && access != StoreAccess::serve;
    auto store = Store::open(url);
    if (!store || !must_accept_writes) return store;
    auto connection = connect_to_primary(url, engine::default_deadline());
    if (!connection) return std::unexpected(unusable(url, connection.error()));
    if (const auto tried = try_to_write(*connection, url); !tried) return std::unexpected(unusable(url, tried.error()));
    return store;
  });
}

template <Scheme scheme>
std::vector<StoreWarning> find_warnings(std::string_view location) {
  const auto url = parse_url(location, scheme);
  std::vector<StoreWarning> warnings;
  if (!url) return warnings;
  auto connection = connect_to_primary(*url, engine::default_deadline());
  if (!connection) return warnings;  // reads fail too
  const auto policy = eviction_policy(*connection);
  if (const auto tried = try_to_write(*connection, *url); !tried && !tried.error().connection_lost) {
    warnings.push_back(
        {.kind = StoreWarning::Kind::refuses_writes,
         .detail = (url->name() + ": " + tried.error().message).append(remedy_for(tried.error(), *url))});
  }
  if (!policy) {
    warnings.push_back({.kind = StoreWarning::Kind::unverified,
                        .detail = url->name() + ": its maxmemory-policy cannot be read; grant its user INFO"});
  } else if (!policy->empty()) {
    const std::string lost = policy->starts_with("volatile-") ? "the lock of an import" : "values";
    warnings.push_back({.kind = StoreWarning::Kind::may_lose_values,
                        .detail = url->name() + ": it removes " + lost + " when its memory is full (maxmemory-policy " +
                                  *policy + "); set maxmemory-policy noeviction"});
  }
  return warnings;
}

template <Scheme scheme>
std::expected<HeldImportLock, std::string> acquire_import_lock(std::string_view location) {
  auto lock = parse_url(location, scheme).and_then([](const Url& url) { return ImportLock::acquire(url); });
  return std::move(lock).transform([](ImportLock held) { return std::make_shared<ImportLock>(std::move(held)); });
}

template <Scheme scheme>
std::optional<std::string> display_name(std::string_view location) {
  const auto url = parse_url(location, scheme);
  return url ? std::optional(url->name()) : std::nullopt;
}

inline bool holds_import_lock(const HeldImportLock& lock) { return static_cast<ImportLock*>(lock.get())->is_held(); }

inline PoolCounts pool_counts(KeyValueStore& store) { return static_cast<Store&>(store).pool(); }

}  // namespace portail::redis
