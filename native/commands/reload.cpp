#include "native/commands/reload.hpp"

#include <memory>
#include <string>
#include <utility>

#include "native/commands/serve_setup.hpp"
#include "native/settings/configuration_file.hpp"
#include "native/settings/serve_plan.hpp"

namespace portail {
namespace {

struct Reloaded {
  SettingValues values;
  LogLevel log_level;
  std::shared_ptr<const TlsContext> tls;
};

std::expected<Reloaded, Fault> read_again(const SettingValues& before) {
  auto values = reread_configuration_file(before);
  if (!values) return std::unexpected(values.error());
  const auto plan = make_plan(*values);
  if (!plan) return std::unexpected(plan.error());
  auto tls = load_tls(*values);
  if (!tls) return std::unexpected(tls.error());
  return Reloaded{.values = std::move(*values), .log_level = plan->log_level, .tls = std::move(*tls)};
}

bool is_taken(const Setting& setting) {
  return setting.name == "tls-cert" || setting.name == "tls-key" || setting.name == "log-level";
}

// The names of what the file has changed that counts from the next start on.
std::string left_for_a_start(const SettingValues& before, const SettingValues& now) {
  std::string names;
  for (const Setting& setting : setting_table) {
    if (is_taken(setting) || before.text(setting) == now.text(setting)) continue;
    names.append(names.empty() ? "" : ", ").append(setting.name);
  }
  return names;
}

// The names of what the file has changed in vain, each with what stands above the file.
std::string overridden(const SettingValues& before, const SettingValues& now) {
  std::string names;
  for (const Setting& setting : setting_table) {
    if (now.source(setting) <= SettingSource::file || before.in_file(setting) == now.in_file(setting)) continue;
    names.append(names.empty() ? "" : ", ").append(setting.name).append(" by ").append(now.where(setting));
  }
  return names;
}

}  // namespace

void warn_of_certificate(const SettingValues& values, const TlsContext* tls, JsonLog& log) {
  if (const auto remark = remark_on_certificate(values, tls)) {
    log.warn("the TLS certificate expires soon", *remark);
  }
}

void reload(const SettingValues& values, Server& server, ServedKeys& keys, JsonLog& log) {
  auto reloaded = read_again(values);
  if (reloaded && !server.exchange_certificate(reloaded->tls)) {
    reloaded = wrong_usage("TLS begins or ends at a start only: restart the server");
  }
  if (!reloaded) {
    log.write(LogLevel::error, "not reloaded: what was in force stays",
              {{.name = "detail", .text = reloaded.error().line}});
    return;
  }
  log.set_level(reloaded->log_level);
  keys.refresh_soon();
  log.write(LogLevel::info, "reloaded");
  warn_of_certificate(reloaded->values, reloaded->tls.get(), log);
  if (const std::string names = left_for_a_start(values, reloaded->values); !names.empty()) {
    log.warn("changed settings count from the next start on", names);
  }
  if (const std::string names = overridden(values, reloaded->values); !names.empty()) {
    log.warn("changed settings are overridden by flags or the environment", names);
  }
}

}  // namespace portail
