#include "native/settings/serve_plan.hpp"

#include <charconv>
#include <optional>

#include "core/settings_check.hpp"

namespace portail {
namespace {

using Checked = std::expected<void, Fault>;

std::expected<Transport, Fault> transport_of(const ServeSettings& settings) {
  if (settings.transport.empty()) return settings.insecure_http ? Transport::loopback : Transport::direct;
  auto transport = read_transport("--transport", settings.transport);
  if (!transport) return wrong_usage(transport.error());
  return *transport;
}

std::expected<ListenAddress, Fault> read_address(const char* flag, const std::string& listen) {
  const auto refused = [&] {
    return wrong_usage(std::string(flag) +
                       " takes an IP address and a port, such as 127.0.0.1:8443 or [::1]:8443, not " + listen);
  };
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string::npos) return refused();
  ListenAddress read{.address = listen.substr(0, colon)};
  const bool in_brackets = read.address.starts_with('[') && read.address.ends_with(']');
  if (in_brackets) read.address = read.address.substr(1, read.address.size() - 2);
  if (in_brackets != read.address.contains(':') || !IpAddress::parse(read.address)) return refused();
  const char* end = listen.data() + listen.size();
  const auto [parsed, error] = std::from_chars(listen.data() + colon + 1, end, read.port);
  if (error != std::errc{} || parsed != end || read.port < 0 || read.port > 65535) return refused();
  return read;
}

Checked read_addresses(const ServeSettings& settings, ServePlan& plan) {
  const auto listen = read_address("--listen", settings.listen);
  if (!listen) return std::unexpected(listen.error());
  plan.address = listen->address;
  plan.port = listen->port;
  if (settings.metrics_listen.empty()) return {};
  const auto metrics = read_address("--metrics-listen", settings.metrics_listen);
  if (!metrics) return std::unexpected(metrics.error());
  plan.metrics = *metrics;
  return {};
}

Checked read_transport(const ServeSettings& settings, ServePlan& plan) {
  const auto transport = transport_of(settings);
  if (!transport) return std::unexpected(transport.error());
  plan.settings.transport = *transport;
  for (const std::string& text : settings.trusted_proxies) {
    const auto range = AddressRange::parse(text);
    if (!range) return wrong_usage("--trusted-proxy takes addresses such as 10.0.0.0/8 or 192.0.2.7, not " + text);
    plan.trusted_proxies.push_back(*range);
  }
  const bool has_certificate = !settings.tls_certificate.empty();
  if (has_certificate != !settings.tls_key.empty())
    return wrong_usage("--tls-cert and --tls-key go together: give both");
  if (has_certificate && settings.insecure_http) {
    return wrong_usage("--insecure-http serves in clear: leave it out, or --tls-cert and --tls-key");
  }
  plan.tls = has_certificate;
  const bool on_loopback = IpAddress::parse(plan.address)->is_loopback();
  switch (*transport) {
    case Transport::forwarded:
      if (plan.trusted_proxies.empty()) {
        return wrong_usage("--transport forwarded needs --trusted-proxy: the addresses that the proxy connects from");
      }
      return {};
    case Transport::loopback:
      if (!settings.insecure_http)
        return wrong_usage("--transport loopback serves in clear: say so with --insecure-http");
      if (!on_loopback) {
        return wrong_usage("--insecure-http listens on a loopback address only, such as 127.0.0.1:8443, not " +
                           settings.listen);
      }
      return {};
    case Transport::direct:
      if (settings.insecure_http) return wrong_usage("--insecure-http needs --transport loopback, or none");
      if (!plan.tls) {
        return wrong_usage(
            "no TLS certificate: give --tls-cert and --tls-key, or for a trial on this machine only --insecure-http "
            "(`tools/dev serve` makes a development certificate)");
      }
      return {};
  }
  return {};
}

Checked read_tokens(const ServeSettings& settings, TokenSettings& tokens) {
  if (settings.issuer.empty())
    return wrong_usage("no issuer: give --issuer the iss of the tokens (or set PORTAIL_ISSUER)");
  if (settings.audiences.empty()) {
    return wrong_usage("no audience: give --audience the aud of the tokens (or set PORTAIL_AUDIENCE)");
  }
  auto checked = check_leeway("--leeway", settings.leeway);
  if (checked) checked = check_subject_claim("--subject-claim", settings.subject_claim);
  if (!checked) return wrong_usage(checked.error());
  tokens = {.issuer = settings.issuer,
            .audiences = settings.audiences,
            .leeway_seconds = settings.leeway,
            .subject_claim = settings.subject_claim,
            .tenant = settings.tenant};
  return {};
}

Checked read_keys(const ServeSettings& settings, ServePlan& plan) {
  auto keys = make_key_plan(settings.keys, settings.issuer);
  if (!keys) return std::unexpected(keys.error());
  plan.keys = std::move(*keys);
  constexpr std::size_t most_tokens = 10'000'000;
  if (settings.token_cache > most_tokens) return wrong_usage("--token-cache is 0 to 10000000 tokens");
  return {};
}

Checked read_origins(const ServeSettings& settings, ServePlan& plan) {
  const auto checked = check_origins("--allow-origin", settings.allowed_origins);
  if (!checked) return wrong_usage(checked.error());
  plan.settings.allowed_origins = settings.allowed_origins;
  return {};
}

Checked read_running(const ServeSettings& settings, ServePlan& plan) {
  if (settings.workers < 1 || settings.workers > 1000) return wrong_usage("--workers is 1 to 1000");
  if (settings.max_connections < 1 || settings.max_connections > 1'000'000) {
    return wrong_usage("--max-connections is 1 to 1000000");
  }
  if (settings.max_connections_per_address < 1) return wrong_usage("--max-connections-per-address is at least 1");
  if (settings.drain_milliseconds < 0 || settings.drain_milliseconds > 600'000) {
    return wrong_usage("--drain is 0 to 600000 milliseconds");
  }
  plan.drain = std::chrono::milliseconds(settings.drain_milliseconds);
  const auto days = days_to_keep(settings.audit_keep);
  if (!days) return std::unexpected(days.error());
  plan.days_to_keep_audit = *days;
  plan.settings.filter_lists = settings.filter_lists;
  for (const auto& [name, level] : {std::pair{"debug", LogLevel::debug}, std::pair{"info", LogLevel::info},
                                    std::pair{"warning", LogLevel::warning}, std::pair{"error", LogLevel::error}}) {
    if (settings.log_level != name) continue;
    plan.log_level = level;
    return {};
  }
  return wrong_usage("--log-level is debug, info, warning or error, not " + settings.log_level);
}

}  // namespace

std::expected<ServePlan, Fault> make_plan(const ServeSettings& settings) {
  ServePlan plan;
  Checked checked = read_addresses(settings, plan);
  if (checked) checked = read_transport(settings, plan);
  if (checked) checked = read_tokens(settings, plan.settings.tokens);
  if (checked) checked = read_keys(settings, plan);
  if (checked) checked = read_origins(settings, plan);
  if (checked) checked = read_running(settings, plan);
  if (!checked) return std::unexpected(checked.error());
  return plan;
}

}  // namespace portail
