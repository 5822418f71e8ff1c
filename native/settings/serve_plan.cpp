#include "native/settings/serve_plan.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/text.hpp"
#include "core/http/url.hpp"
#include "core/settings/settings_check.hpp"
#include "native/server/listener.hpp"
#include "native/settings/page_settings.hpp"

namespace portail {
namespace {

using Checked = std::expected<void, Fault>;

Checked read_addresses(const SettingValues& values, ServePlan& plan) {
  const auto listen = read_address(values, "listen");
  if (!listen) return std::unexpected(listen.error());
  plan.address = listen->address;
  plan.port = listen->port;
  for (const auto& [setting, address] : {std::pair{SettingName("metrics-listen"), &plan.metrics},
                                         std::pair{SettingName("manage-listen"), &plan.management}}) {
    if (values.text(setting).empty()) continue;
    const auto read = read_address(values, setting);
    if (!read) return std::unexpected(read.error());
    *address = *read;
  }
  return {};
}

std::expected<Transport, Fault> transport_of(const SettingValues& values) {
  const std::string& text = values.text("transport");
  if (text.empty()) return values.is_on("insecure-http") ? Transport::loopback : Transport::direct;
  const auto transport = read_transport(values.where("transport"), text);
  if (!transport) return wrong_usage(transport.error());
  return *transport;
}

Checked read_transport(const SettingValues& values, ServePlan& plan) {
  const auto transport = transport_of(values);
  if (!transport) return std::unexpected(transport.error());
  plan.settings.transport = *transport;
  for (const std::string& text : values.list("trusted-proxy")) {
    const auto range = server::AddressRange::parse(text);
    if (!range) return values.invalid_value("trusted-proxy", text);
    plan.trusted_proxies.push_back(*range);
  }
  const bool is_plain_http = values.is_on("insecure-http");
  const bool has_certificate = !values.text("tls-cert").empty();
  const std::string certificate_and_key = values.where("tls-cert") + " and " + values.where("tls-key");
  if (has_certificate != !values.text("tls-key").empty())
    return wrong_usage(certificate_and_key + " must be given together");
  if (has_certificate && is_plain_http) {
    return wrong_usage(values.where("insecure-http") + " serves without TLS: leave it out, or " + certificate_and_key);
  }
  plan.tls = has_certificate;
  if (!values.text("manage-client-ca").empty() && (!plan.tls || !plan.management)) {
    return wrong_usage(values.where("manage-client-ca") + " needs --manage-listen, and TLS by " + certificate_and_key);
  }
  const std::string& management_address = plan.management ? plan.management->address : plan.address;
  switch (*transport) {
    case Transport::forwarded:
      if (plan.trusted_proxies.empty()) {
        return wrong_usage(values.where("transport") +
                           " forwarded needs --trusted-proxy: the addresses that the proxy connects from");
      }
      return {};
    case Transport::loopback:
      if (!is_plain_http)
        return wrong_usage(values.where("transport") + " loopback serves without TLS: confirm it with --insecure-http");
      for (const auto& [setting, address] : {std::pair{SettingName("listen"), plan.address},
                                             std::pair{SettingName("manage-listen"), management_address}}) {
        if (server::IpAddress::parse(address)->is_loopback()) continue;
        return wrong_usage(values.where("insecure-http") +
                           " listens on a loopback address only, such as 127.0.0.1:8443, not " + values.text(setting));
      }
      return {};
    case Transport::forwarded_or_loopback:
      return wrong_usage(values.where("transport") + " forwarded-or-loopback is for components");
    case Transport::direct:
      if (is_plain_http) return wrong_usage(values.where("insecure-http") + " needs --transport loopback, or none");
      if (!plan.tls) {
        return wrong_usage(
            "no TLS certificate: give --tls-cert and --tls-key, or for a trial on this machine only --insecure-http");
      }
      return {};
  }
  return {};
}

Checked read_tokens(const SettingValues& values, TokenSettings& tokens) {
  tokens = {.issuer = values.text("issuer"),
            .audiences = values.list("audience"),
            .leeway_seconds = values.number("leeway"),
            .subject_claim = values.text("subject-claim"),
            .tenant = values.text("tenant")};
  if (tokens.issuer.empty())
    return wrong_usage("no issuer: give --issuer the iss of the tokens (or set PORTAIL_ISSUER)");
  if (tokens.audiences.empty()) {
    return wrong_usage("no audience: give --audience the aud of the tokens (or set PORTAIL_AUDIENCE)");
  }
  return {};
}

Checked read_keys(const SettingValues& values, ServePlan& plan) {
  auto keys = make_key_plan(values, plan.settings.transport);
  if (!keys) return std::unexpected(keys.error());
  plan.keys = std::move(*keys);
  return {};
}

// A client that can request a persona's token has all rights of that persona.
Checked read_page(const SettingValues& values, ServePlan& plan) {
  auto page = make_page_settings(values);
  if (!page) return std::unexpected(page.error());
  plan.page = std::move(*page);
  if (values.text("page-personas").empty()) return {};
  if (!server::IpAddress::parse(plan.address)->is_loopback() || plan.settings.transport == Transport::forwarded) {
    return wrong_usage(
        values.where("page-personas") +
        " gives tokens to every client that asks: use a loopback address, such as 127.0.0.1:8443, and no proxy");
  }
  return {};
}

// By the specification of OTLP's exporters, the path of the signal follows that of the collector.
Checked read_collector(const SettingValues& values, ServePlan& plan) {
  const std::string& text = values.text("otlp");
  if (text.empty()) return {};
  const auto url = parse_url(text);
  if (!url || url->target.contains('?')) return values.invalid_value("otlp", text);
  plan.spans_url = text + (text.ends_with('/') ? "v1/traces" : "/v1/traces");
  return {};
}

LogLevel log_level_of(std::string_view text) {
  for (const auto& [name, level] : {std::pair{"debug", LogLevel::debug}, std::pair{"warning", LogLevel::warning},
                                    std::pair{"error", LogLevel::error}}) {
    if (text == name) return level;
  }
  return LogLevel::info;
}

// Host and port; a missing host is 127.0.0.1, a missing port that of the default, or empty if there is none.
std::pair<std::string_view, std::string_view> parts_of(std::string_view text, const Setting& setting) {
  if (!text.empty() && std::ranges::all_of(text, is_ascii_digit)) return {"127.0.0.1", text};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && !text.ends_with(']')) return {text.substr(0, colon), text.substr(colon + 1)};
  const std::size_t default_colon = setting.default_value.rfind(':');
  if (text.empty() || default_colon == std::string_view::npos) return {text, {}};
  return {text, setting.default_value.substr(default_colon + 1)};
}

}  // namespace

bool is_wildcard_address(std::string_view address) { return address == "0.0.0.0" || address == "::"; }

std::expected<ListenAddress, Fault> read_address(const SettingValues& values, SettingName setting) {
  const std::string& listen = values.text(setting);
  const auto [host, port] = parts_of(listen, *setting);
  ListenAddress read{.address = std::string(host)};
  if (read.address.empty()) read.address = server::Listener::wildcard_address();
  if (equals_ignoring_case(read.address, "localhost")) read.address = "127.0.0.1";
  const bool in_brackets = read.address.starts_with('[') && read.address.ends_with(']');
  if (in_brackets) read.address = read.address.substr(1, read.address.size() - 2);
  if (in_brackets != read.address.contains(':') || !server::IpAddress::parse(read.address)) {
    return values.invalid_value(setting, listen);
  }
  const char* const end = port.data() + port.size();
  const auto [parsed, error] = std::from_chars(port.data(), end, read.port);
  if (error != std::errc{} || parsed != end || read.port < 0 || read.port > 65535) {
    return values.invalid_value(setting, listen);
  }
  return read;
}

std::expected<ServePlan, Fault> make_serve_plan(const SettingValues& values) {
  ServePlan plan;
  plan.log_level = log_level_of(values.text("log-level"));
  plan.settings.allowed_origins = values.list("allow-origin");
  plan.settings.filter_lists = values.is_on("filter-lists");
  Checked checked = read_addresses(values, plan);
  if (checked) checked = read_transport(values, plan);
  if (checked) checked = read_tokens(values, plan.settings.tokens);
  if (checked) checked = read_keys(values, plan);
  if (checked) checked = read_page(values, plan);
  if (checked) checked = read_collector(values, plan);
  if (!checked) return std::unexpected(checked.error());
  return plan;
}

}  // namespace portail
