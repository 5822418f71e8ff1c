#include <memory>

#include "native/commands/command.hpp"
#include "native/shadow/shadow_options.hpp"

namespace portail {
namespace {

std::expected<void, Fault> run_shadow(const SettingValues& values, const ShadowArguments& arguments) {
  const auto plan = make_shadow_plan(arguments);
  if (!plan) return std::unexpected(plan.error());
  return arguments.is_replay() ? replay_requests(arguments, *plan) : serve_and_compare(values, arguments, *plan);
}

}  // namespace

Command shadow_command() {
  auto arguments = std::make_shared<ShadowArguments>();
  return {.name = "shadow",
          .help = "Serve the portal, or replay requests, and compare its answers with those of another service",
          .settings = all_settings(),
          .options = shadow_options(*arguments),
          .examples = {"portail shadow --upstream https://incumbent.example --config /etc/portail/portail.toml",
                       "portail shadow --upstream https://incumbent.example --to https://portal.example --replay "
                       "access.log --token-file token.txt"},
          .run = [arguments](const SettingValues& values) { return run_shadow(values, *arguments); }};
}

}  // namespace portail
