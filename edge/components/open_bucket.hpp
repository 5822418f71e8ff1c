// Opens the bucket of the component's host that PORTAIL_STORE names: bucket:NAME. Default is "default".
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/storage/edition.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail::edge {

// Calls Store::open(NAME). The error is one line for the operator.
template <class Store>
std::expected<std::unique_ptr<KeyValueStore>, std::string> open_bucket(const std::string& setting) {
  constexpr std::string_view scheme = "bucket:";
  if (setting.empty()) return Store::open("default");
  if (!setting.starts_with(scheme) || setting.size() == scheme.size()) {
    return std::unexpected("PORTAIL_STORE must be bucket:NAME, such as bucket:default, not " + setting);
  }
  return Store::open(setting.substr(scheme.size()));
}

// For buckets that meet the requirements of EditionStore.
inline std::unique_ptr<KeyValueStore> cache_by_edition(KeyValueStore& bucket) {
  return std::make_unique<EditionStore>(bucket);
}

}  // namespace portail::edge
