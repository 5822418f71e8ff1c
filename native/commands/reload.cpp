#include "native/commands/reload.hpp"

#include <memory>
#include <string>
#include <utility>

#include "native/commands/serve_setup.hpp"
#include "native/settings/configuration_file.hpp"
#include "native/settings/serve_plan.hpp"

namespace portail {
namespace {

struct ReloadedSettings {
  SettingValues values;
  LogLevel log_level;
  std::shared_ptr<const TlsContext> tls;
  std::shared_ptr<const TlsContext> management_tls;
};

std::expected<ReloadedSettings, Fault> reload_settings(const SettingValues& before) {
  auto values = reread_configuration_file(before);
  if (!values) return std::unexpected(values.error());
  const auto plan = make_serve_plan(*values);
  if (!plan) return std::unexpected(plan.error());
  auto tls = load_tls(*values);
  if (!tls) return std::unexpected(tls.error());
  auto management_tls = load_management_tls(*values, *tls);
  if (!management_tls) return std::unexpected(management_tls.error());
  return ReloadedSettings{.values = std::move(*values),
                          .log_level = plan->log_level,
                          .tls = std::move(*tls),
                          .management_tls = std::move(*management_tls)};
}

bool is_reloadable(const Setting& setting) {
  return setting.name == "tls-cert" || setting.name == "tls-key" || setting.name == "manage-client-ca" ||
         setting.name == "log-level";
}

// The changed settings that are in force only after a restart.
std::string settings_needing_restart(const SettingValues& before, const SettingValues& now) {
  std::string names;
  for (const Setting& setting : setting_table) {
    if (is_reloadable(setting) || before.text(setting) == now.text(setting)) continue;
    names.append(names.empty() ? "" : ", ").append(setting.name);
  }
  return names;
}

// The changed settings of the file that a source of higher precedence overrides, each with that source.
std::string overridden_settings(const SettingValues& before, const SettingValues& now) {
  std::string names;
  for (const Setting& setting : setting_table) {
    if (now.source(setting) <= SettingSource::file || before.in_file(setting) == now.in_file(setting)) continue;
    names.append(names.empty() ? "" : ", ").append(setting.name).append(" by ").append(now.where(setting));
  }
  return names;
}

}  // namespace

void warn_if_certificate_expires(const SettingValues& values, const TlsContext* tls, JsonLog& log) {
  if (const auto warning = certificate_warning(values, tls)) {
    log.warn("the TLS certificate expires soon", *warning);
  }
}

void reload(const SettingValues& values, server::Server& server, AdministrationServer* administration, ServedKeys& keys,
            JsonLog& log) {
  auto reloaded = reload_settings(values);
  if (reloaded && !server.replace_certificate(reloaded->tls)) {
    reloaded = wrong_usage("a reload cannot enable or disable TLS: restart the server");
  }
  if (!reloaded) {
    log.write(LogLevel::error, "not reloaded: the previous values stay in effect",
              {{.name = "detail", .text = reloaded.error().message}});
    return;
  }
  if (administration) administration->replace_certificate(reloaded->management_tls);
  log.set_level(reloaded->log_level);
  keys.refresh_soon();
  log.write(LogLevel::info, "reloaded");
  warn_if_certificate_expires(reloaded->values, reloaded->tls.get(), log);
  if (const std::string names = settings_needing_restart(values, reloaded->values); !names.empty()) {
    log.warn("changed settings take effect after a restart", names);
  }
  if (const std::string names = overridden_settings(values, reloaded->values); !names.empty()) {
    log.warn("changed settings are overridden by flags or the environment", names);
  }
}

}  // namespace portail
