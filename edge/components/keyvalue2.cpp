// The portal over a bucket of wasi:keyvalue@0.2.0-draft2: Spin.
#include "bindings/config-draft/config_draft.h"
#include "edge/components/open_bucket.hpp"
#include "edge/portal/portal.hpp"
#include "edge/settings/configuration.hpp"
#include "edge/stores/keyvalue/keyvalue2_store.hpp"

namespace portail::edge {

std::unique_ptr<Handler> make_handler(const Host& host) {
  SpinVariables<config_get, config_draft_option_string_free, config_error_free> settings;
  return make_portal(host, settings, open_bucket<Keyvalue2Store>, KeyRefresh::after_answer, cache_by_edition);
}

}  // namespace portail::edge
