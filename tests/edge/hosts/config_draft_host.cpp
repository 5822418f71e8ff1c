// A host of wasi:config@0.2.0-draft-2024-09-27. The value of "portail_issuer" is CONFIG_portail_issuer of its
// environment. If that is "refused", the read fails, as in Spin if a provider of variables is unavailable.
#include "bindings/config-draft-host/config_draft_host.h"

#include <cstdlib>
#include <string>
#include <string_view>

bool exports_config_get(config_draft_host_string_t* key, config_draft_host_option_string_t* found,
                        exports_config_error_t* error) {
  const std::string name = "CONFIG_" + std::string(reinterpret_cast<const char*>(key->ptr), key->len);
  config_draft_host_string_free(key);
  const char* value = std::getenv(name.c_str());
  if (value && std::string_view(value) == "refused") {
    error->tag = EXPORTS_CONFIG_ERROR_UPSTREAM;
    config_draft_host_string_dup(&error->val.upstream, "out of reach");
    return false;
  }
  found->is_some = value != nullptr;
  if (value) config_draft_host_string_dup(&found->val, value);
  return true;
}
