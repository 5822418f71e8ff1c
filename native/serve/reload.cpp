#include "native/serve/reload.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <sys/stat.h>

#include "native/serve/serve_setup.hpp"
#include "native/settings/configuration_file.hpp"
#include "native/settings/serve_plan.hpp"

namespace portail {
namespace {

struct ReloadedSettings {
  SettingValues values;
  LogLevel log_level;
  std::shared_ptr<const TlsContext> tls;
  std::shared_ptr<const TlsContext> management_tls;
  std::string files;  // as they were before they were read
};

std::expected<ReloadedSettings, Fault> reload_settings(const SettingValues& before) {
  auto values = reread_configuration_file(before);
  if (!values) return std::unexpected(values.error());
  const auto plan = make_serve_plan(*values);
  if (!plan) return std::unexpected(plan.error());
  std::string files = identity_of_files(*values);
  auto tls = load_tls(*values);
  if (!tls) return std::unexpected(tls.error());
  auto management_tls = load_management_tls(*values, *tls);
  if (!management_tls) return std::unexpected(management_tls.error());
  return ReloadedSettings{.values = std::move(*values),
                          .log_level = plan->log_level,
                          .tls = std::move(*tls),
                          .management_tls = std::move(*management_tls),
                          .files = std::move(files)};
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

std::string identity_of_files(const SettingValues& values) {
  std::string identity;
  for (const SettingName setting : {SettingName("tls-cert"), SettingName("tls-key"), SettingName("manage-client-ca")}) {
    struct stat status{};
    if (stat(values.text(setting).c_str(), &status) != 0) status = {};
    for (const auto number : {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
                              static_cast<std::int64_t>(status.st_size), std::int64_t{status.st_mtim.tv_sec},
                              std::int64_t{status.st_mtim.tv_nsec}, std::int64_t{status.st_ctim.tv_sec},
                              std::int64_t{status.st_ctim.tv_nsec}}) {
      identity += std::to_string(number) + ' ';
    }
  }
  return identity;
}

void warn_if_certificate_expires(const SettingValues& values, const TlsContext* tls, JsonLog& log) {
  if (const auto warning = certificate_warning(values, tls)) {
    log.warn("the TLS certificate expires soon", *warning);
  }
}

Reloader::Reloader(const SettingValues& values, server::Server& server, AdministrationServer* administration,
                   ServedKeys& keys, JsonLog& log, std::string files)
    : values_(values),
      server_(server),
      administration_(administration),
      keys_(keys),
      log_(log),
      in_force_(values),
      files_(std::move(files)) {}

void Reloader::reload() {
  auto reloaded = reload_settings(values_);
  if (reloaded && !server_.replace_certificate(reloaded->tls)) {
    reloaded = wrong_usage("a reload cannot enable or disable TLS: restart the server");
  }
  if (!reloaded) {
    log_.write(LogLevel::error, "not reloaded: the previous values stay in effect",
               {{.name = "detail", .text = reloaded.error().message}});
    return;
  }
  files_ = std::move(reloaded->files);
  in_force_ = reloaded->values;
  if (administration_) administration_->replace_certificate(reloaded->management_tls);
  log_.set_level(reloaded->log_level);
  keys_.refresh_soon();
  log_.write(LogLevel::info, "reloaded");
  warn_if_certificate_expires(reloaded->values, reloaded->tls.get(), log_);
  if (const std::string names = settings_needing_restart(values_, reloaded->values); !names.empty()) {
    log_.warn("changed settings take effect after a restart", names);
  }
  if (const std::string names = overridden_settings(values_, reloaded->values); !names.empty()) {
    log_.warn("changed settings are overridden by flags or the environment", names);
  }
}

void Reloader::check_certificate() {
  std::string files = identity_of_files(in_force_);
  if (files == files_) return;
  files_ = std::move(files);
  const auto tls = load_tls(in_force_);
  const auto management_tls = tls ? load_management_tls(in_force_, *tls) : tls;
  if (!management_tls) {
    return log_.warn("the TLS certificate was replaced, but the previous one stays in effect",
                     management_tls.error().message);
  }
  if (!server_.replace_certificate(*tls)) return;  // plain HTTP
  if (administration_) administration_->replace_certificate(*management_tls);
  log_.write(LogLevel::info, "the TLS certificate was replaced");
  warn_if_certificate_expires(in_force_, tls->get(), log_);
}

}  // namespace portail
