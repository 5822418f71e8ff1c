// The portal over a bucket of wasi:keyvalue@0.2.0-draft: wasmCloud, wasmtime.
#include <string>

#include "edge/components/bucket_setting.hpp"
#include "edge/config/config_variable.hpp"
#include "edge/portal/portal.hpp"
#include "edge/stores/keyvalue/keyvalue_store.hpp"

namespace portail::edge {
namespace {

std::expected<std::unique_ptr<KeyValueStore>, std::string> open_bucket(const std::string& setting) {
  const auto bucket = bucket_of(setting);
  if (!bucket) return std::unexpected(bucket.error());
  return KeyvalueStore::open(*bucket);
}

}  // namespace

std::unique_ptr<Handler> make_handler(const Host& host) { return make_portal(host, config_variable, open_bucket); }

}  // namespace portail::edge
