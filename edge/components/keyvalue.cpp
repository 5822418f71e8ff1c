// The portal over a bucket of wasi:keyvalue@0.2.0-draft: wasmCloud, wasmtime.
#include "bindings/config-rc/config_rc.h"
#include "edge/components/open_bucket.hpp"
#include "edge/portal/portal.hpp"
#include "edge/settings/configuration.hpp"
#include "edge/stores/keyvalue/keyvalue_store.hpp"

namespace portail::edge {

std::unique_ptr<Handler> make_handler(const Host& host) {
  Configuration<config_get, config_rc_option_string_free, config_error_free> settings;
  // wasmCloud ends an instance that is not in a pool with its answer.
  return make_portal(host, settings, open_bucket<KeyvalueStore>, KeyRefresh::before_answer);
}

}  // namespace portail::edge
