// The table of all settings: names, allowed values, hosts. The program's flags, environment and file, the guests'
// variables and the package's settings come from these rows. tests/documents/settings_test.py compares documents and
// the package's types with them; tools/docs/reference.py generates docs/reference/settings.md. The help of a setting
// without a default ends with "; required" or "; default: …". Constants.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace portail {

enum class SettingKind : std::uint8_t {
  text,           // any text; empty means unset
  name,           // any text that is not empty
  number,         // an integer from `min` to `max`, in `unit`
  duration,       // a number of milliseconds, seconds or days, or with its own unit: 500ms, 5s, 2min, 1h, 1d
  toggle,         // true or false
  choice,         // one of `choices`
  origin,         // core/http/origin.hpp
  address,        // an IP address and a port
  address_range,  // an IP address, or a range of them
  file,           // a file's name
  key_set,        // a key set, or its location
  store,          // the location of the data
};

struct SettingHosts {
  bool program = true;      // native/
  bool component = false;   // edge/
  bool package = false;     // wasm/
  bool management = false;  // the management interface of edge/ and wasm/
};
inline constexpr SettingHosts program_only{};
inline constexpr SettingHosts program_and_components{.component = true};
inline constexpr SettingHosts program_and_management{.package = true, .management = true};
inline constexpr SettingHosts every_host{.component = true, .package = true};

struct Setting {
  std::string_view name;           // of the flag without dashes, and in the configuration file
  std::string_view variable = {};  // in the environment, and in a guest's configuration; empty if there is none
  SettingKind kind = SettingKind::text;
  bool is_list = false;                 // values of that kind, separated by commas
  std::string_view default_value = {};  // as typed; empty if there is none, or the host chooses it
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::string_view unit = {};
  std::array<std::string_view, 4> choices = {};  // unused entries are empty
  std::string_view allowed = {};                 // "must be …", if the kind is not sufficient
  std::string_view help = {};
  std::string_view group = {};
  SettingHosts hosts = program_only;
  bool may_be_secret = false;  // all or part of the value; never printed
  bool in_file = true;         // allowed in the configuration file
  bool is_hidden = false;      // for tests; absent from help and documents
};

inline constexpr std::int64_t no_max = std::numeric_limits<std::int64_t>::max();

// In the order of the program's help.
inline constexpr std::array setting_table{
    Setting{.name = "store",
            .variable = "PORTAIL_STORE",
            .kind = SettingKind::store,
            .help =
                "Store: lmdb:DIR, dir:DIR, redis://HOST, postgres://HOST/DATABASE, spin-sqlite:FILE, or memory: (lost "
                "when the program ends); default: lmdb:$XDG_DATA_HOME/portail, or ~/.local/share/portail",
            .hosts = program_and_components,
            .may_be_secret = true},
    Setting{.name = "listen",
            .variable = "PORTAIL_LISTEN",
            .kind = SettingKind::address,
            .default_value = "127.0.0.1:8443",
            .allowed =
                "must be an IP address and a port, such as 127.0.0.1:8443, localhost:8443, or :8443 for every address",
            .help = "Address, port or both; :8443 listens on every address, port 0 on a free port"},
    Setting{.name = "import", .kind = SettingKind::file, .help = "Document to import before listening"},
    Setting{.name = "create",
            .kind = SettingKind::toggle,
            .help = "Serve a store that is missing or empty instead of refusing it",
            .in_file = false},
    Setting{.name = "audit-retention",
            .variable = "PORTAIL_AUDIT_RETENTION",
            .kind = SettingKind::duration,
            .default_value = "365d",
            .min = 1,
            .max = 36'500,
            .unit = "days",
            .help = "How long audit records are kept, in days",
            .hosts = program_and_management},

    Setting{.name = "tls-cert",
            .variable = "PORTAIL_TLS_CERT",
            .kind = SettingKind::file,
            .help = "Certificate and its chain, PEM",
            .group = "TLS and transport"},
    Setting{.name = "tls-key",
            .variable = "PORTAIL_TLS_KEY",
            .kind = SettingKind::file,
            .help = "Private key of the certificate, PEM without a password",
            .group = "TLS and transport",
            .may_be_secret = true},
    Setting{.name = "insecure-http",
            .variable = "PORTAIL_INSECURE_HTTP",
            .kind = SettingKind::toggle,
            .help = "Serve without TLS, on a loopback address only",
            .group = "TLS and transport"},
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
    Setting{.name = "trusted-proxy",
            .variable = "PORTAIL_TRUSTED_PROXIES",
            .kind = SettingKind::address_range,
            .is_list = true,
            .allowed = "must be addresses such as 10.0.0.0/8 or 192.0.2.7",
            .help = "Addresses or CIDR ranges whose X-Forwarded-Proto and Forwarded headers are trusted",
            .group = "TLS and transport"},
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
            .help = "iss that tokens must have; required",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "audience",
            .variable = "PORTAIL_AUDIENCE",
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
            .help = "tenantid that tokens must have",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "token-cache",
            .variable = "PORTAIL_TOKEN_CACHE",
            .kind = SettingKind::number,
            .default_value = "10000",
            .max = 10'000'000,
            .unit = "tokens",
            .help = "Maximum number of verified tokens in the cache; 0: no cache",
            .group = "Tokens"},

    Setting{.name = "jwks",
            .variable = "PORTAIL_JWKS",
            .kind = SettingKind::key_set,
            .allowed = "must be a file, an https URL without user name or fragment, or JSON text that begins with {",
            .help = "Key set: a file, an https URL or JSON text; default: the jwks_uri of the issuer's discovery "
                    "document",
            .group = "Key set",
            .hosts = every_host,
            .may_be_secret = true},
    Setting{.name = "identity-ca",
            .variable = "PORTAIL_IDENTITY_CA",
            .kind = SettingKind::file,
            .help = "Certificate authorities for the source of the key set, PEM; default: the system's",
            .group = "Key set"},
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
    Setting{.name = "jwks-min-interval",
            .kind = SettingKind::duration,
            .default_value = "30",
            .max = 3600,
            .unit = "seconds",
            .help = "Minimum interval in seconds between two fetches for unknown keys",
            .is_hidden = true},

    Setting{.name = "filter-lists",
            .variable = "PORTAIL_FILTER_LISTS",
            .kind = SettingKind::toggle,
            .help = "Omit derogated pieces from lists too",
            .hosts = every_host},

    Setting{.name = "no-page",
            .variable = "PORTAIL_NO_PAGE",
            .kind = SettingKind::toggle,
            .help = "Serve no page at /, only the API",
            .group = "Page"},
    Setting{.name = "page-client",
            .variable = "PORTAIL_PAGE_CLIENT",
            .help = "OpenID Connect client id of the page; default: the page asks for a token",
            .group = "Page"},
    Setting{.name = "page-authority",
            .variable = "PORTAIL_PAGE_AUTHORITY",
            .help = "OpenID Connect authority of the page, an https URL; default: the issuer",
            .group = "Page"},
    Setting{.name = "page-scope",
            .variable = "PORTAIL_PAGE_SCOPE",
            .kind = SettingKind::name,
            .default_value = "openid",
            .allowed = "must be one scope or more, such as \"openid profile\"",
            .help = "Scope that the page requests",
            .group = "Page"},
    Setting{.name = "page-parameter",
            .variable = "PORTAIL_PAGE_PARAMETERS",
            .is_list = true,
            .allowed = "must be parameters such as resource=https://portal.example",
            .help = "Additional parameter of the authorization request: name=value",
            .group = "Page"},
    Setting{
        .name = "page-personas",
        .variable = "PORTAIL_PAGE_PERSONAS",
        .kind = SettingKind::file,
        .help =
            "For development, on a loopback address only: JSON file of tokens that the page offers to local requests",
        .group = "Page"},

    Setting{.name = "workers",
            .variable = "PORTAIL_WORKERS",
            .kind = SettingKind::number,
            .min = 1,
            .max = 1000,
            .help = "Number of requests processed concurrently; default: two for each available processor, at least 4",
            .group = "Running"},
    Setting{
        .name = "queue-timeout",
        .variable = "PORTAIL_QUEUE_TIMEOUT",
        .kind = SettingKind::duration,
        .default_value = "40",
        .max = 60'000,
        .unit = "milliseconds",
        .help =
            "Maximum time in milliseconds that a request waits for a worker before it is rejected (503); 0: no limit",
        .group = "Running"},
    Setting{.name = "max-connections",
            .variable = "PORTAIL_MAX_CONNECTIONS",
            .kind = SettingKind::number,
            .default_value = "8192",
            .min = 1,
            .max = 1'000'000,
            .help = "Maximum number of open connections; further ones are refused",
            .group = "Running"},
    Setting{.name = "max-connections-per-address",
            .variable = "PORTAIL_MAX_CONNECTIONS_PER_ADDRESS",
            .kind = SettingKind::number,
            .default_value = "512",
            .min = 1,
            .max = no_max,
            .help = "Maximum number of open connections from one address that is not a trusted proxy (IPv6: one /64)",
            .group = "Running"},
    Setting{.name = "requests-per-address",
            .variable = "PORTAIL_REQUESTS_PER_ADDRESS",
            .kind = SettingKind::number,
            .default_value = "0",
            .max = 100'000,
            .help =
                "Maximum requests per second from one address that is not a trusted proxy (IPv6: one /64), with bursts "
                "of ten seconds; beyond it 429; 0: no limit",
            .group = "Running"},
    Setting{.name = "requests-per-subject",
            .variable = "PORTAIL_REQUESTS_PER_SUBJECT",
            .kind = SettingKind::number,
            .default_value = "0",
            .max = 100'000,
            .help = "Maximum requests per second of one subject, or of one client for client tokens; beyond it 429; 0: "
                    "no limit",
            .group = "Running"},
    Setting{.name = "max-streams-per-client",
            .variable = "PORTAIL_MAX_STREAMS_PER_CLIENT",
            .kind = SettingKind::number,
            .default_value = "32",
            .min = 1,
            .max = 1'000'000,
            .help = "Maximum number of concurrent streamed answers of one address, or of one subject behind a trusted "
                    "proxy; beyond it 503",
            .group = "Running"},
    Setting{.name = "max-unsent",
            .variable = "PORTAIL_MAX_UNSENT",
            .kind = SettingKind::number,
            .default_value = "256",
            .min = 1,
            .max = 1'000'000,
            .unit = "MiB",
            .help = "Maximum memory in MiB of unsent answers; beyond it connections are closed",
            .group = "Running"},
    Setting{.name = "drain-delay",
            .variable = "PORTAIL_DRAIN_DELAY",
            .kind = SettingKind::duration,
            .default_value = "200",
            .max = 600'000,
            .unit = "milliseconds",
            .help = "Time in milliseconds between reporting not ready and closing the listener",
            .group = "Running"},
    Setting{.name = "shutdown-timeout",
            .variable = "PORTAIL_SHUTDOWN_TIMEOUT",
            .kind = SettingKind::duration,
            .default_value = "30",
            .min = 1,
            .max = 3'600,
            .unit = "seconds",
            .help = "Time in seconds that clients then have to receive their answers before connections are closed",
            .group = "Running"},
    Setting{.name = "log-level",
            .variable = "PORTAIL_LOG_LEVEL",
            .kind = SettingKind::choice,
            .default_value = "info",
            .choices = {"debug", "info", "warning", "error"},
            .help = "Minimum level of log lines: debug, info, warning or error",
            .group = "Running"},
    Setting{.name = "no-access-log",
            .variable = "PORTAIL_NO_ACCESS_LOG",
            .kind = SettingKind::toggle,
            .help = "Write no log line per request; access events remain",
            .group = "Running"},
    Setting{
        .name = "log-key",
        .variable = "PORTAIL_LOG_KEY",
        .help =
            "Key that turns subjects into pseudonyms in the log; set it by PORTAIL_LOG_KEY; default: random at each "
            "start",
        .group = "Running",
        .hosts = every_host,
        .may_be_secret = true},
    Setting{.name = "metrics-listen",
            .variable = "PORTAIL_METRICS_LISTEN",
            .kind = SettingKind::address,
            .allowed =
                "must be an IP address and a port, such as 127.0.0.1:9090, localhost:9090, or :9090 for every address",
            .help = "Address and port of GET /metrics and /health, without TLS",
            .group = "Running"},
    Setting{.name = "manage-listen",
            .variable = "PORTAIL_MANAGE_LISTEN",
            .kind = SettingKind::address,
            .allowed =
                "must be an IP address and a port, such as 127.0.0.1:8444, localhost:8444, or :8444 for every address",
            .help = "Address and port of the management interface, with the TLS and transport of --listen",
            .group = "Management"},
    Setting{.name = "manage-client-ca",
            .variable = "PORTAIL_MANAGE_CLIENT_CA",
            .kind = SettingKind::file,
            .help = "Certificate authorities of clients, PEM: the management interface requires a certificate of them",
            .group = "Management"},
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
    Setting{
        .name = "otlp",
        .variable = "PORTAIL_OTLP",
        .allowed = "must be an http or https URL without user name, query or fragment, such as http://localhost:4318",
        .help = "OTLP collector that receives a span per request, over HTTP: http://HOST:4318; needs the package "
                "portail-otlp",
        .group = "Running",
        .may_be_secret = true},
    Setting{.name = "config",
            .variable = "PORTAIL_CONFIG",
            .kind = SettingKind::file,
            .help = "TOML file of these settings, for example: issuer = \"https://…\"",
            .in_file = false},
};

// The rows of guests. A WebAssembly module contains only these.
inline constexpr auto guest_settings = [] {
  constexpr auto is_of_guests = [](const Setting& row) { return row.hosts.component || row.hosts.package; };
  std::array<Setting, std::ranges::count_if(setting_table, is_of_guests)> rows;
  std::ranges::copy_if(setting_table, rows.begin(), is_of_guests);
  return rows;
}();

// The row of a name, or null. For names read at run time.
constexpr const Setting* find_setting(std::string_view name) {
  for (const Setting& each : setting_table) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

// The row of a variable in `table`, or null.
constexpr const Setting* find_variable(std::string_view variable, std::span<const Setting> table = setting_table) {
  for (const Setting& each : table) {
    if (!variable.empty() && each.variable == variable) return &each;
  }
  return nullptr;
}

// A reference to a row by its name; an unknown name does not compile.
class SettingName {
 public:
  consteval SettingName(const char* name) : row_(row_named(name, setting_table)) {}
  constexpr SettingName(const Setting& row) : row_(&row) {}
  // The same row in guest_settings, for the code of guests.
  static consteval SettingName of_guests(const char* name) { return *row_named(name, guest_settings); }

  constexpr const Setting& operator*() const { return *row_; }
  constexpr const Setting* operator->() const { return row_; }

 private:
  // Without find_setting: with -fsanitize=undefined, g++ 14 cannot compare the address of a row with null in a constant
  // expression.
  static consteval const Setting* row_named(std::string_view name, std::span<const Setting> table) {
    for (const Setting& each : table) {
      if (each.name == name) return &each;
    }
    unknown_setting_name();
    return nullptr;
  }
  static void unknown_setting_name();

  const Setting* row_;
};

}  // namespace portail
