// The portal over Spin's own asynchronous key-value store.
#include <string>

#include "edge/components/bucket_setting.hpp"
#include "edge/config/config_variable.hpp"
#include "edge/portal/portal.hpp"
#include "edge/stores/spin/spin_store.hpp"

namespace portail::edge {
namespace {

std::expected<std::unique_ptr<KeyValueStore>, std::string> open_bucket(const std::string& setting) {
  const auto bucket = bucket_of(setting);
  if (!bucket) return std::unexpected(bucket.error());
  return std::make_unique<SpinStore>(*bucket);
}

}  // namespace

std::unique_ptr<Handler> make_handler(const Host& host) { return make_portal(host, config_variable, open_bucket); }

}  // namespace portail::edge
