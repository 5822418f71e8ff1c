#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "native/commands/check_token.hpp"
#include "native/commands/serve_setup.hpp"

namespace portail {
namespace {

std::expected<void, Fault> check(CLI::App& command, ServeSettings& settings, const std::optional<std::string>& token) {
  const auto setup = set_up(command, settings, StoreAccess::check);
  if (!setup) return std::unexpected(setup.error());
  const LoadedKeySet& keys = *setup->keys;
  for (const KeyRemark& remark : keys.refusals) std::printf("refused: %s\n", describe(remark).c_str());
  for (const KeyRemark& remark : keys.notices) std::printf("notice: %s\n", describe(remark).c_str());
  std::printf("configuration    in order\n");
  std::printf("key set          %zu usable, %zu refused: %s\n", keys.keys.size(), keys.refusals.size(),
              setup->key_document->name().c_str());
  std::printf("store            %s%s\n", without_password(settings.store).c_str(),
              setup->portal.empty ? ", empty" : "");
  std::fflush(stdout);
  if (token) return check_token(*token, keys.keys, setup->plan.settings.tokens, *setup->portal.store);
  if (keys.keys.empty()) return failure("no key of the key set is usable: the service would not be ready");
  return {};
}

}  // namespace

void add_check_command(CLI::App& program, ExitStatus& status) {
  auto settings = std::make_shared<ServeSettings>();
  CLI::App& command = *program.add_subcommand("check", "Look at configuration, store and key set, without serving");
  auto token = std::make_shared<std::optional<std::string>>();
  add_serve_options(command, *settings);
  command.add_option("--token", *token, "A token to explain, claim by claim; - reads it from standard input")
      ->configurable(false);
  on_command(command, status, [&command, settings, token] { return check(command, *settings, *token); });
}

}  // namespace portail
