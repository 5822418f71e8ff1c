#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "native/commands/check_token.hpp"
#include "native/commands/serve_setup.hpp"

namespace portail {
namespace {

std::expected<void, Fault> check(const SettingValues& values, const std::optional<std::string>& token) {
  const auto setup = set_up(values, StoreAccess::check);
  if (!setup) return std::unexpected(setup.error());
  const LoadedKeySet& keys = *setup->keys;
  for (const KeyRemark& remark : keys.refusals) std::printf("refused: %s\n", describe(remark).c_str());
  for (const KeyRemark& remark : keys.notices) std::printf("notice: %s\n", describe(remark).c_str());
  std::printf("configuration    in order\n");
  std::printf("key set          %zu usable, %zu refused: %s\n", keys.keys.size(), keys.refusals.size(),
              setup->key_document->name().c_str());
  std::printf("store            %s%s\n", without_password(values.text("store")).c_str(),
              setup->portal.empty ? ", empty" : "");
  std::fflush(stdout);
  if (token) return check_token(*token, keys.keys, setup->plan.settings.tokens, *setup->portal.store);
  if (keys.keys.empty()) return failure("no key of the key set is usable: the service would not be ready");
  return {};
}

}  // namespace

Command check_command() {
  auto token = std::make_shared<std::optional<std::string>>();
  return {.name = "check",
          .help = "Look at configuration, store and key set, without serving",
          .settings = all_settings(),
          .options = {{.name = "--token",
                       .help = "A token to explain, claim by claim; - reads it from standard input",
                       .field = token.get()}},
          .run = [token](const SettingValues& values) { return check(values, *token); }};
}

}  // namespace portail
