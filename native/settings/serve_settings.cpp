#include "native/settings/serve_settings.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace portail {

std::string default_store() {
  const char* data_home = std::getenv("XDG_DATA_HOME");
  if (data_home && *data_home == '/') return std::string("lmdb:") + data_home + "/portail";
  const char* home = std::getenv("HOME");
  return std::string("lmdb:") + (home ? home : "") + "/.local/share/portail";
}

CLI::Option* add_store_option(CLI::App& command, std::string& store) {
  store = default_store();
  return command
      .add_option("--store", store,
                  "Where the data is: lmdb:DIR, dir:DIR, redis://HOST, or memory: (gone with the program)")
      ->envname("PORTAIL_STORE")
      ->capture_default_str();
}

CLI::Option* add_audit_keep_option(CLI::App& command, std::string& audit_keep) {
  audit_keep = "365d";
  return command.add_option("--audit-keep", audit_keep, "How long records of the audit are kept, in days")
      ->envname("PORTAIL_AUDIT_KEEP")
      ->capture_default_str();
}

std::expected<std::int64_t, Fault> days_to_keep(const std::string& audit_keep) {
  constexpr std::int64_t most_days = 36'500;
  std::int64_t days = 0;
  const auto [end, error] = std::from_chars(audit_keep.data(), audit_keep.data() + audit_keep.size(), days);
  if (error != std::errc{} || std::string_view(end) != "d" || days < 1 || days > most_days) {
    return wrong_usage("--audit-keep is 1d to 36500d, such as 365d, not " + audit_keep);
  }
  return days;
}

void add_serve_options(CLI::App& command, ServeSettings& settings) {
  add_store_option(command, settings.store);
  command.add_option("--listen", settings.listen, "Address and port; port 0 takes a free one")
      ->envname("PORTAIL_LISTEN")
      ->capture_default_str();
  command.add_option("--import", settings.import_file, "A document to import before listening");
  add_audit_keep_option(command, settings.audit_keep);

  const std::string tls = "TLS and transport";
  command.add_option("--tls-cert", settings.tls_certificate, "Certificate and its chain, PEM")
      ->envname("PORTAIL_TLS_CERT")
      ->group(tls);
  command.add_option("--tls-key", settings.tls_key, "The certificate's key, PEM without a password")
      ->envname("PORTAIL_TLS_KEY")
      ->group(tls);
  command.add_flag("--insecure-http", settings.insecure_http, "Serve in clear, on a loopback address only")
      ->envname("PORTAIL_INSECURE_HTTP")
      ->group(tls);
  command
      .add_option("--transport", settings.transport,
                  "Who ends TLS: direct (this program), forwarded (a proxy), loopback")
      ->envname("PORTAIL_TRANSPORT")
      ->group(tls);
  command
      .add_option("--trusted-proxy", settings.trusted_proxies, "Addresses whose forwarding headers are believed (CIDR)")
      ->envname("PORTAIL_TRUSTED_PROXIES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(tls);
  command
      .add_option("--allow-origin", settings.allowed_origins,
                  "An origin that browsers may call from, or https://*.domain")
      ->envname("PORTAIL_ALLOW_ORIGINS")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(tls);

  const std::string tokens = "Tokens";
  command.add_option("--issuer", settings.issuer, "The iss that tokens must have")
      ->envname("PORTAIL_ISSUER")
      ->group(tokens);
  command.add_option("--audience", settings.audiences, "An aud that tokens may have; repeatable")
      ->envname("PORTAIL_AUDIENCE")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(tokens);
  command.add_option("--leeway", settings.leeway, "Seconds by which clocks may differ, 0 to 300")
      ->envname("PORTAIL_LEEWAY")
      ->capture_default_str()
      ->group(tokens);
  command.add_option("--subject-claim", settings.subject_claim, "The claim that names the caller")
      ->envname("PORTAIL_SUBJECT_CLAIM")
      ->capture_default_str()
      ->group(tokens);
  command.add_option("--tenant", settings.tenant, "The tenantid that tokens must have")
      ->envname("PORTAIL_TENANT")
      ->group(tokens);
  command.add_option("--token-cache", settings.token_cache, "Verified tokens that are remembered; 0: none")
      ->envname("PORTAIL_TOKEN_CACHE")
      ->capture_default_str()
      ->group(tokens);
  add_key_options(command, settings.keys);
  command.add_flag("--filter-lists", settings.filter_lists, "Leave derogated pieces out of the lists too")
      ->envname("PORTAIL_FILTER_LISTS");

  const std::string running = "Running";
  command.add_option("--workers", settings.workers, "Requests that are worked on at the same time")
      ->envname("PORTAIL_WORKERS")
      ->capture_default_str()
      ->group(running);
  command
      .add_option("--max-connections", settings.max_connections,
                  "Connections that may be open; further ones are refused")
      ->envname("PORTAIL_MAX_CONNECTIONS")
      ->capture_default_str()
      ->group(running);
  command
      .add_option("--max-connections-per-address", settings.max_connections_per_address,
                  "Of these, from one address that is no trusted proxy (IPv6: one /64)")
      ->envname("PORTAIL_MAX_CONNECTIONS_PER_ADDRESS")
      ->capture_default_str()
      ->group(running);
  command
      .add_option("--drain", settings.drain_milliseconds, "Milliseconds between not being ready and accepting no more")
      ->envname("PORTAIL_DRAIN")
      ->capture_default_str()
      ->group(running);
  command.add_option("--log-level", settings.log_level, "debug, info, warning or error")
      ->envname("PORTAIL_LOG_LEVEL")
      ->capture_default_str()
      ->group(running);
  command.add_flag("--no-access-log", settings.no_access_log, "No line for each request")
      ->envname("PORTAIL_NO_ACCESS_LOG")
      ->group(running);
  command
      .add_option("--log-key", settings.log_key,
                  "The key that turns subjects into pseudonyms in the log; better given by PORTAIL_LOG_KEY")
      ->envname("PORTAIL_LOG_KEY")
      ->group(running);
  command.add_option("--metrics-listen", settings.metrics_listen, "Address and port of GET /metrics, in clear")
      ->envname("PORTAIL_METRICS_LISTEN")
      ->group(running);
  command
      .add_option("--config", settings.config, "A file with these settings, a line each: issuer = \"https://…\" (TOML)")
      ->envname("PORTAIL_CONFIG")
      ->configurable(false);
}

}  // namespace portail
