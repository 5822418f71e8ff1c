// Every setting of the portal, once: its names, what it may be, who has it. The program's flags, environment and file,
// the guests' variables and the package's settings come from these rows; the tables of docs/ and the package's types
// are held against them by tests/documents/settings_test.py. Constants.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace portail {

enum class SettingKind : std::uint8_t {
  text,           // anything; empty is as if it were not given
  name,           // anything that is not empty
  number,         // whole, from `least` to `most`, of `unit`
  duration,       // the same in milliseconds, seconds or days, or with a unit of its own: 500ms, 5s, 2min, 1h, 1d
  toggle,         // true or false
  choice,         // one of `choices`
  origin,         // core/http/origin.hpp
  address,        // an IP address and a port
  address_range,  // an IP address, or a range of them
  file,           // a file's name
  key_set,        // a key set, or where one is
  store,          // where the data is
};

struct SettingHosts {
  bool program = true;     // native/
  bool component = false;  // edge/
  bool package = false;    // wasm/
};
inline constexpr SettingHosts program_only{};
inline constexpr SettingHosts program_and_components{.component = true};
inline constexpr SettingHosts every_host{.component = true, .package = true};

struct Setting {
  std::string_view name;           // of the flag without its dashes, and in the configuration file
  std::string_view variable = {};  // in the environment, and wherever a guest's host keeps it; empty: it has none
  SettingKind kind = SettingKind::text;
  bool is_list = false;          // of values of that kind, with commas between them
  std::string_view preset = {};  // as it would be typed; empty: nothing, or what the host makes of its surroundings
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::string_view unit = {};
  std::array<std::string_view, 4> choices = {};  // the empty ones are none
  std::string_view allowed = {};                 // "takes …", where the kind does not say it all
  std::string_view help = {};
  std::string_view group = {};
  SettingHosts hosts = program_only;
  bool may_be_secret = false;  // its value, or a part of it: nothing repeats it
  bool in_file = true;         // may stand in the configuration file
  bool is_hidden = false;      // for tests; no help and no document speaks of it
};

inline constexpr std::int64_t no_most = std::numeric_limits<std::int64_t>::max();

// In the order of the program's help.
inline constexpr std::array setting_table{
    Setting{.name = "store",
            .variable = "PORTAIL_STORE",
            .kind = SettingKind::store,
            .help =
                "Where the data is: lmdb:DIR, dir:DIR, redis://HOST, postgres://HOST/DATABASE, spin-sqlite:FILE, or "
                "memory: (gone with the program)",
            .hosts = program_and_components,
            .may_be_secret = true},
    Setting{
        .name = "listen",
        .variable = "PORTAIL_LISTEN",
        .kind = SettingKind::address,
        .preset = "127.0.0.1:8443",
        .allowed = "takes an IP address and a port, such as 127.0.0.1:8443, localhost:8443, or :8443 for every address",
        .help = "Address, port or both; :8443 is every address, port 0 takes a free one"},
    Setting{.name = "import", .kind = SettingKind::file, .help = "A document to import before listening"},
    Setting{.name = "create",
            .kind = SettingKind::toggle,
            .help = "Serve a store that is not there, or holds nothing, instead of refusing it",
            .in_file = false},
    Setting{.name = "audit-keep",
            .variable = "PORTAIL_AUDIT_KEEP",
            .kind = SettingKind::duration,
            .preset = "365d",
            .least = 1,
            .most = 36'500,
            .unit = "days",
            .help = "How long records of the audit are kept, in days"},

    Setting{.name = "tls-cert",
            .variable = "PORTAIL_TLS_CERT",
            .kind = SettingKind::file,
            .help = "Certificate and its chain, PEM",
            .group = "TLS and transport"},
    Setting{.name = "tls-key",
            .variable = "PORTAIL_TLS_KEY",
            .kind = SettingKind::file,
            .help = "The certificate's key, PEM without a password",
            .group = "TLS and transport",
            .may_be_secret = true},
    Setting{.name = "insecure-http",
            .variable = "PORTAIL_INSECURE_HTTP",
            .kind = SettingKind::toggle,
            .help = "Serve in clear, on a loopback address only",
            .group = "TLS and transport"},
    Setting{.name = "transport",
            .variable = "PORTAIL_TRANSPORT",
            .kind = SettingKind::choice,
            .choices = {"direct", "forwarded", "loopback"},
            .help = "Who ends TLS: direct (this program), forwarded (a proxy), loopback",
            .group = "TLS and transport",
            .hosts = every_host},
    Setting{.name = "trusted-proxy",
            .variable = "PORTAIL_TRUSTED_PROXIES",
            .kind = SettingKind::address_range,
            .is_list = true,
            .allowed = "takes addresses such as 10.0.0.0/8 or 192.0.2.7",
            .help = "Addresses whose forwarding headers are believed (CIDR)",
            .group = "TLS and transport"},
    Setting{.name = "allow-origin",
            .variable = "PORTAIL_ALLOW_ORIGINS",
            .kind = SettingKind::origin,
            .is_list = true,
            .allowed = "takes https://portal.example or https://*.example",
            .help = "An origin that browsers may call from, or https://*.domain",
            .group = "TLS and transport",
            .hosts = every_host},

    Setting{.name = "issuer",
            .variable = "PORTAIL_ISSUER",
            .help = "The iss that tokens must have",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "audience",
            .variable = "PORTAIL_AUDIENCE",
            .is_list = true,
            .help = "An aud that tokens may have; repeatable",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "leeway",
            .variable = "PORTAIL_LEEWAY",
            .kind = SettingKind::duration,
            .preset = "60",
            .most = 300,
            .unit = "seconds",
            .help = "Seconds by which clocks may differ, 0 to 300",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "subject-claim",
            .variable = "PORTAIL_SUBJECT_CLAIM",
            .kind = SettingKind::name,
            .preset = "sub",
            .allowed = "is the name of a claim",
            .help = "The claim that names the caller",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "tenant",
            .variable = "PORTAIL_TENANT",
            .help = "The tenantid that tokens must have",
            .group = "Tokens",
            .hosts = every_host},
    Setting{.name = "token-cache",
            .variable = "PORTAIL_TOKEN_CACHE",
            .kind = SettingKind::number,
            .preset = "10000",
            .most = 10'000'000,
            .unit = "tokens",
            .help = "Verified tokens that are remembered; 0: none",
            .group = "Tokens"},

    Setting{.name = "jwks",
            .variable = "PORTAIL_JWKS",
            .kind = SettingKind::key_set,
            .allowed = "takes a file, an https URL without user name or fragment, or JSON text that begins with {",
            .help = "The key set: a file, an https URL, or its own JSON text; without it, the one that the issuer's "
                    "discovery document names",
            .group = "Key set",
            .hosts = every_host,
            .may_be_secret = true},
    Setting{.name = "identity-ca",
            .variable = "PORTAIL_IDENTITY_CA",
            .kind = SettingKind::file,
            .help = "Authorities that the issuer's certificate may come from, PEM, instead of the system's",
            .group = "Key set"},
    Setting{.name = "jwks-refresh",
            .variable = "PORTAIL_JWKS_REFRESH",
            .kind = SettingKind::duration,
            .preset = "300",
            .least = 1,
            .most = 86'400,
            .unit = "seconds",
            .help = "Seconds between two fetches of the key set",
            .group = "Key set"},
    Setting{.name = "jwks-timeout",
            .variable = "PORTAIL_JWKS_TIMEOUT",
            .kind = SettingKind::duration,
            .preset = "10",
            .least = 1,
            .most = 60,
            .unit = "seconds",
            .help = "Seconds that a fetch may take in all",
            .group = "Key set"},
    Setting{.name = "jwks-max-age",
            .variable = "PORTAIL_JWKS_MAX_AGE",
            .kind = SettingKind::duration,
            .preset = "86400",
            .least = 1,
            .most = 2'678'400,
            .unit = "seconds",
            .help = "Seconds that keys are used for after their source last answered",
            .group = "Key set"},
    Setting{.name = "jwks-pause",
            .kind = SettingKind::duration,
            .preset = "30",
            .most = 3600,
            .unit = "seconds",
            .help = "Seconds between two fetches for unknown keys",
            .is_hidden = true},

    Setting{.name = "filter-lists",
            .variable = "PORTAIL_FILTER_LISTS",
            .kind = SettingKind::toggle,
            .help = "Leave derogated pieces out of the lists too",
            .hosts = every_host},

    Setting{.name = "no-page",
            .variable = "PORTAIL_NO_PAGE",
            .kind = SettingKind::toggle,
            .help = "No page at /, only the interface",
            .group = "Page"},
    Setting{.name = "page-client",
            .variable = "PORTAIL_PAGE_CLIENT",
            .help = "The client id by which the page signs people in (OpenID Connect); without it, it asks for a token",
            .group = "Page"},
    Setting{.name = "page-authority",
            .variable = "PORTAIL_PAGE_AUTHORITY",
            .help = "Who signs people in, where that is not the issuer: an https URL",
            .group = "Page"},
    Setting{.name = "page-scope",
            .variable = "PORTAIL_PAGE_SCOPE",
            .kind = SettingKind::name,
            .preset = "openid",
            .allowed = "is one scope or more, such as \"openid profile\"",
            .help = "The scope that the page asks for",
            .group = "Page"},
    Setting{.name = "page-parameter",
            .variable = "PORTAIL_PAGE_PARAMETERS",
            .is_list = true,
            .allowed = "takes parameters such as resource=https://portail.example",
            .help = "A parameter of the authorization request beside those that OpenID Connect names: name=value",
            .group = "Page"},
    Setting{
        .name = "page-personas",
        .variable = "PORTAIL_PAGE_PERSONAS",
        .kind = SettingKind::file,
        .help =
            "For development, on a loopback address only: a JSON file of tokens that the page offers to local requests",
        .group = "Page"},

    Setting{.name = "workers",
            .variable = "PORTAIL_WORKERS",
            .kind = SettingKind::number,
            .least = 1,
            .most = 1000,
            .help = "Requests that are worked on at the same time; without it as many as suit the processors",
            .group = "Running"},
    Setting{.name = "longest-wait",
            .variable = "PORTAIL_LONGEST_WAIT",
            .kind = SettingKind::duration,
            .preset = "40",
            .most = 60'000,
            .unit = "milliseconds",
            .help = "Milliseconds that requests may wait for a worker; beyond it load is shed (503); 0: never",
            .group = "Running"},
    Setting{.name = "max-connections",
            .variable = "PORTAIL_MAX_CONNECTIONS",
            .kind = SettingKind::number,
            .preset = "8192",
            .least = 1,
            .most = 1'000'000,
            .help = "Connections that may be open; further ones are refused",
            .group = "Running"},
    Setting{.name = "max-connections-per-address",
            .variable = "PORTAIL_MAX_CONNECTIONS_PER_ADDRESS",
            .kind = SettingKind::number,
            .preset = "512",
            .least = 1,
            .most = no_most,
            .help = "Of these, from one address that is no trusted proxy (IPv6: one /64)",
            .group = "Running"},
    Setting{.name = "requests-per-address",
            .variable = "PORTAIL_REQUESTS_PER_ADDRESS",
            .kind = SettingKind::number,
            .preset = "0",
            .most = 100'000,
            .help = "Requests a second from one address that is no trusted proxy (IPv6: one /64), in bursts of ten "
                    "seconds' worth; beyond it 429; 0: no limit",
            .group = "Running"},
    Setting{.name = "requests-per-subject",
            .variable = "PORTAIL_REQUESTS_PER_SUBJECT",
            .kind = SettingKind::number,
            .preset = "0",
            .most = 100'000,
            .help = "The same for one subject of tokens, or client where the token is the client's own",
            .group = "Running"},
    Setting{.name = "max-streams-per-client",
            .variable = "PORTAIL_MAX_STREAMS_PER_CLIENT",
            .kind = SettingKind::number,
            .preset = "32",
            .least = 1,
            .most = 1'000'000,
            .help = "Streamed answers of one address at the same time, or of one subject behind a trusted proxy; "
                    "beyond it 503",
            .group = "Running"},
    Setting{.name = "max-unsent",
            .variable = "PORTAIL_MAX_UNSENT",
            .kind = SettingKind::number,
            .preset = "256",
            .least = 1,
            .most = 1'000'000,
            .unit = "MiB",
            .help = "Memory, in MiB, of answers that clients leave unread; beyond it they are broken off",
            .group = "Running"},
    Setting{.name = "drain",
            .variable = "PORTAIL_DRAIN",
            .kind = SettingKind::duration,
            .preset = "200",
            .most = 600'000,
            .unit = "milliseconds",
            .help = "Milliseconds between not being ready and accepting no more",
            .group = "Running"},
    Setting{.name = "longest-stop",
            .variable = "PORTAIL_LONGEST_STOP",
            .kind = SettingKind::duration,
            .preset = "30",
            .least = 1,
            .most = 3'600,
            .unit = "seconds",
            .help = "Seconds, after that, that clients have to take their answers; then they are broken off",
            .group = "Running"},
    Setting{.name = "log-level",
            .variable = "PORTAIL_LOG_LEVEL",
            .kind = SettingKind::choice,
            .preset = "info",
            .choices = {"debug", "info", "warning", "error"},
            .help = "debug, info, warning or error",
            .group = "Running"},
    Setting{.name = "no-access-log",
            .variable = "PORTAIL_NO_ACCESS_LOG",
            .kind = SettingKind::toggle,
            .help = "No line for each request",
            .group = "Running"},
    Setting{.name = "log-key",
            .variable = "PORTAIL_LOG_KEY",
            .help = "The key that turns subjects into pseudonyms in the log; better given by PORTAIL_LOG_KEY",
            .group = "Running",
            .may_be_secret = true},
    Setting{
        .name = "metrics-listen",
        .variable = "PORTAIL_METRICS_LISTEN",
        .kind = SettingKind::address,
        .allowed = "takes an IP address and a port, such as 127.0.0.1:9090, localhost:9090, or :9090 for every address",
        .help = "Address and port of GET /metrics and /health, in clear",
        .group = "Running"},
    Setting{.name = "otlp",
            .variable = "PORTAIL_OTLP",
            .allowed = "takes an http or https URL without user name, query or fragment, such as http://localhost:4318",
            .help = "The collector that a span of each request is sent to, by OTLP over HTTP: http://HOST:4318; needs "
                    "the package portail-otlp",
            .group = "Running",
            .may_be_secret = true},
    Setting{.name = "config",
            .variable = "PORTAIL_CONFIG",
            .kind = SettingKind::file,
            .help = "A file with these settings, a line each: issuer = \"https://…\" (TOML)",
            .in_file = false},
};

// The rows that guests have: these alone take room in a module, which none of the program's then does.
inline constexpr auto guest_settings = [] {
  constexpr auto is_of_guests = [](const Setting& row) { return row.hosts.component || row.hosts.package; };
  std::array<Setting, std::ranges::count_if(setting_table, is_of_guests)> rows;
  std::ranges::copy_if(setting_table, rows.begin(), is_of_guests);
  return rows;
}();

// The row of a name that the host reads at run time; null where there is none.
constexpr const Setting* find_setting(std::string_view name) {
  for (const Setting& each : setting_table) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

// The same for the name of a variable among the rows of `table`.
constexpr const Setting* find_variable(std::string_view variable, std::span<const Setting> table = setting_table) {
  for (const Setting& each : table) {
    if (!variable.empty() && each.variable == variable) return &each;
  }
  return nullptr;
}

// A row by its name, which the compiler looks up: a name that no row has does not compile.
class SettingName {
 public:
  consteval SettingName(const char* name) : row_(row_named(name, setting_table)) {}
  constexpr SettingName(const Setting& row) : row_(&row) {}
  // The row that guests have, for the code of guests.
  static consteval SettingName of_guests(const char* name) { return *row_named(name, guest_settings); }

  constexpr const Setting& operator*() const { return *row_; }
  constexpr const Setting* operator->() const { return row_; }

 private:
  // Not by find_setting: with -fsanitize=undefined, g++ 14 cannot compare the address of a row with null while it
  // compiles.
  static consteval const Setting* row_named(std::string_view name, std::span<const Setting> table) {
    for (const Setting& each : table) {
      if (each.name == name) return &each;
    }
    there_is_no_such_setting();
    return nullptr;
  }
  static void there_is_no_such_setting();

  const Setting* row_;
};

}  // namespace portail
