// The settings of components and modules, which the program has too: names, allowed values, hosts. The variables of
// components, the settings of the npm package and a part of the program's (native/settings/setting_table.hpp) come from
// these rows. tests/documents/settings_test.py compares documents and the package's types with them. Constants.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "core/settings/setting.hpp"

namespace portail {

// By group, in the order of the program's help.
inline constexpr std::array guest_settings{
    Setting{.name = "store",
            .variable = "PORTAIL_STORE",
            .kind = SettingKind::store,
            .help =
                "Store: lmdb:DIR, dir:DIR, redis://HOST, postgres://HOST/DATABASE, spin-sqlite:FILE, or memory: (lost "
                "when the program ends); default: lmdb:$XDG_DATA_HOME/portail, or ~/.local/share/portail",
            .hosts = program_and_components,
            .may_be_secret = true},
    Setting{.name = "audit-retention",
            .variable = "PORTAIL_AUDIT_RETENTION",
            .kind = SettingKind::duration,
            .default_value = "365d",
            .min = 1,
            .max = 36'500,
            .unit = "days",
            .help = "How long audit records are kept, in days",
            .hosts = program_and_management},
    Setting{.name = "transport",
            .variable = "PORTAIL_TRANSPORT",
            .kind = SettingKind::choice,
            .choices = {"direct", "forwarded", "loopback", "forwarded-or-loopback"},
            .help =
                "Where TLS ends: direct (this program), forwarded (a proxy), loopback (without TLS), "
                "forwarded-or-loopback (for components: also without TLS to a loopback host); default: direct, with "
                "--insecure-http loopback",
            .group = "TLS and transport",
            .hosts = every_host},
    Setting{.name = "allow-origin",
            .variable = "PORTAIL_ALLOW_ORIGINS",
            .kind = SettingKind::origin,
            .is_list = true,
            .allowed = "must be https://portal.example or https://*.example",
            .help = "Origin that browsers may call from, or https://*.domain",
            .group = "TLS and transport",
            .hosts = every_host},
    Setting{.name = "issuer",
            .variable = "PORTAIL_ISSUER",
            .kind = SettingKind::identifier,
            .help = "iss that tokens must have; required",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "audience",
            .variable = "PORTAIL_AUDIENCE",
            .kind = SettingKind::identifier,
            .is_list = true,
            .help = "aud that tokens may have; repeatable; required",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "leeway",
            .variable = "PORTAIL_LEEWAY",
            .kind = SettingKind::duration,
            .default_value = "60",
            .max = 300,
            .unit = "seconds",
            .help = "Allowed clock difference in seconds",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "subject-claim",
            .variable = "PORTAIL_SUBJECT_CLAIM",
            .kind = SettingKind::name,
            .default_value = "sub",
            .allowed = "must be the name of a claim",
            .help = "Claim that identifies the caller",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "tenant",
            .variable = "PORTAIL_TENANT",
            .kind = SettingKind::identifier,
            .help = "tenantid that tokens must have",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "jwks",
            .variable = "PORTAIL_JWKS",
            .kind = SettingKind::key_set,
            .allowed = "must be a file, an https URL without user name or fragment, or JSON text that begins with {",
            .help = "Key set: a file, an https URL or JSON text; default: the jwks_uri of the issuer's discovery "
                    "document",
            .group = "Key set",
            .hosts = every_host,
            .may_be_secret = true},
    Setting{.name = "jwks-refresh",
            .variable = "PORTAIL_JWKS_REFRESH",
            .kind = SettingKind::duration,
            .default_value = "300",
            .min = 1,
            .max = 86'400,
            .unit = "seconds",
            .help = "Interval in seconds between two fetches of the key set",
            .group = "Key set",
            .hosts = every_host},
    Setting{.name = "jwks-timeout",
            .variable = "PORTAIL_JWKS_TIMEOUT",
            .kind = SettingKind::duration,
            .default_value = "10",
            .min = 1,
            .max = 60,
            .unit = "seconds",
            .help = "Timeout in seconds of one fetch",
            .group = "Key set",
            .hosts = every_host},
    Setting{.name = "jwks-max-age",
            .variable = "PORTAIL_JWKS_MAX_AGE",
            .kind = SettingKind::duration,
            .default_value = "86400",
            .min = 1,
            .max = 2'678'400,
            .unit = "seconds",
            .help = "How long keys are used after the last successful fetch, in seconds",
            .group = "Key set",
            .hosts = every_host},
    Setting{.name = "filter-lists",
            .variable = "PORTAIL_FILTER_LISTS",
            .kind = SettingKind::toggle,
            .help = "Omit derogated pieces from lists too",
            .hosts = every_host},
    Setting{
        .name = "log-key",
        .variable = "PORTAIL_LOG_KEY",
        .help =
            "Key that turns subjects into pseudonyms in the log; set it by PORTAIL_LOG_KEY; default: random at each "
            "start",
        .group = "Running",
        .hosts = every_host,
        .may_be_secret = true},
    Setting{.name = "manage-subject",
            .variable = "PORTAIL_MANAGE_SUBJECTS",
            .kind = SettingKind::name,
            .is_list = true,
            .allowed = "must be the subject of a token",
            .help = "Subject that may use the management interface without PortailClients.Administration in its token",
            .group = "Management",
            .hosts = program_and_management},
    Setting{.name = "manage-max-document",
            .variable = "PORTAIL_MANAGE_MAX_DOCUMENT",
            .kind = SettingKind::number,
            .default_value = "1024",
            .min = 1,
            .max = 1'000'000,
            .unit = "MiB",
            .help = "Maximum size in MiB of the document of an import over HTTP",
            .group = "Management",
            .hosts = program_and_management},
};

// The row of a name, which must exist: an unknown name does not compile.
consteval SettingRow guest_setting(const char* name) { return row_named(name, guest_settings); }

// Returns the variables of rows; empty for a row without one.
template <std::size_t count>
constexpr std::array<std::string_view, count> variables_of(const std::array<Setting, count>& rows) {
  std::array<std::string_view, count> names;
  std::ranges::transform(rows, names.begin(), &Setting::variable);
  return names;
}

inline constexpr auto guest_variables = variables_of(guest_settings);

}  // namespace portail
