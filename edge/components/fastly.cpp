// The portal over a KV store of Fastly Compute.
#include "edge/components/open_bucket.hpp"
#include "edge/fastly/kv_store.hpp"
#include "edge/fastly/variables.hpp"
#include "edge/portal/portal.hpp"

namespace portail::edge {
namespace {

std::expected<std::unique_ptr<KeyValueStore>, std::string> open_store(const std::string& setting) {
  return open_bucket<fastly::KvStore>(setting.empty() ? "bucket:portail" : setting);
}

}  // namespace

std::unique_ptr<Handler> make_handler(const Host& host) {
  fastly::StoredVariables settings;
  return make_portal(host, settings, open_store, KeyRefresh::before_answer);
}

}  // namespace portail::edge
