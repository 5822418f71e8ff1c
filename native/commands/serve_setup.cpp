#include "native/commands/serve_setup.hpp"

#include <utility>

#include "native/host/small_file.hpp"
#include "native/settings/configuration_file.hpp"
#include "native/settings/key_settings.hpp"

namespace portail {
namespace {

std::expected<LoadedKeySet, Fault> read_keys(KeyDocument& document) {
  const auto text = document.read({});
  if (!text) return failure(text.error());
  auto loaded = load_key_set(*text);
  if (!loaded) return failure(document.name() + " cannot be used: " + loaded.error());
  return std::move(*loaded);
}

}  // namespace

std::expected<ServeSetup, Fault> set_up(CLI::App& command, ServeSettings& settings, StoreAccess access) {
  if (auto applied = apply_configuration_file(command, settings.config); !applied) {
    return std::unexpected(applied.error());
  }
  auto plan = make_plan(settings);
  if (!plan) return std::unexpected(plan.error());
  if (!settings.keys.identity_ca.empty()) {
    const auto authorities = read_small_file(settings.keys.identity_ca, "--identity-ca");
    if (!authorities) return failure(authorities.error());
  }
  auto document = make_key_document(settings.keys, settings.issuer, plan->keys);
  std::optional<LoadedKeySet> keys;
  if (access == StoreAccess::check || plan->keys.place != KeyPlace::network) {
    auto read = read_keys(*document);
    if (!read) return std::unexpected(read.error());
    keys = std::move(*read);
  }
  std::optional<TlsContext> tls;
  if (plan->tls) {
    auto loaded = TlsContext::load(settings.tls_certificate, settings.tls_key);
    if (!loaded) return failure(loaded.error());
    tls = std::move(*loaded);
  }
  auto portal = open_portal(settings.store, access);
  if (!portal) return std::unexpected(portal.error());
  return ServeSetup{.plan = std::move(*plan),
                    .key_document = std::move(document),
                    .keys = std::move(keys),
                    .tls = std::move(tls),
                    .portal = std::move(*portal)};
}

}  // namespace portail
