#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/auth/base64url.hpp"
#include "core/auth/permissions.hpp"
#include "core/base/text.hpp"
#include "core/http/messages.hpp"
#include "core/json/raw_json.hpp"
#include "core/json/reader.hpp"
#include "native/commands/command.hpp"
#include "native/commands/diagnosis.hpp"
#include "native/commands/explain.hpp"
#include "native/commands/remote_options.hpp"
#include "native/http/certificate_time.hpp"
#include "native/http/http_date.hpp"
#include "native/remote/portal_probe.hpp"
#include "native/system/small_file.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr std::int64_t seconds_of_day = 86'400;
constexpr std::int64_t max_clock_difference = 5;  // seconds, without a warning
constexpr std::int64_t default_leeway = 60;       // seconds, of the setting leeway
constexpr std::string_view configuration_target =
    "/api/abp/application-configuration?IncludeLocalizationResources=false";
constexpr std::string_view mail_objects_target = "/api/app/objet-courrier?MaxResultCount=1";

struct DoctorArguments {
  std::string url;
  std::optional<std::string> token;  // a file, or - for standard input
  std::vector<std::string> permissions;
  std::string ca_file;
  bool json = false;
};

std::expected<std::string, Fault> read_tried_token(const std::optional<std::string>& file) {
  std::string token;
  if (!file) return token;
  if (*file == "-") {
    token.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    auto text = read_small_file(*file, "--token");
    if (!text) return failure(text.error());
    token = std::move(*text);
  }
  token = trimmed(token, " \t\r\n");
  const bool is_header_text = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_header_text || token.empty()) return wrong_usage("--token: the file does not contain one token");
  return token;
}

void add_tls(const ProbedTls& tls, const Url& url, Instant now, Diagnosis& diagnosis) {
  const std::int64_t days = (tls.end.seconds() - now.seconds()) / seconds_of_day;
  if (tls.end.seconds() < now.seconds()) {
    return diagnosis.add("tls", Severity::error, "the certificate expired on " + day_text(tls.end),
                         "Renew it, and run `systemctl reload portail`. If it is new, compare this machine's clock.");
  }
  if (tls.begin.seconds() > now.seconds()) {
    return diagnosis.add("tls", Severity::error, "the certificate is not valid before " + day_text(tls.begin),
                         "Compare the clock of this machine: `timedatectl`.");
  }
  if (!tls.is_for_host) {
    return diagnosis.add("tls", Severity::error, "the certificate is not for " + url.host,
                         "Use a name of the certificate, or serve a certificate for this name.");
  }
  if (!tls.chain_fault.empty()) {
    return diagnosis.add("tls", Severity::error, "the certificate is not trusted: " + tls.chain_fault,
                         "Serve the complete chain in `tls-cert`. For a private authority give --ca-file its file.");
  }
  const bool is_soon = expiry_if_soon({.begin = tls.begin, .end = tls.end}, now).has_value();
  diagnosis.add(
      "tls", is_soon ? Severity::warning : Severity::ok,
      tls.version + ", certificate valid until " + day_text(tls.end) + ", " + std::to_string(days) + " days left",
      is_soon ? "Renew the certificate, and run `systemctl reload portail`." : "");
}

// Returns whether requests can be sent.
bool check_connection(const Url& url, const std::string& ca_file, Diagnosis& diagnosis) {
  const auto connection = probe_connection(url, ca_file);
  if (!connection) {
    const ProbeFault& fault = connection.error();
    switch (fault.stage) {
      case ProbeFault::Stage::name:
        diagnosis.add("address", Severity::error, url.host + ": " + fault.reason,
                      "Compare the host name with the DNS of this machine: `getent hosts " + url.host + "`.");
        break;
      case ProbeFault::Stage::connection:
        diagnosis.add("address", Severity::error, fault.reason,
                      "Check that the server runs (`systemctl status portail`), its setting `listen`, and firewalls.");
        break;
      case ProbeFault::Stage::tls:
        diagnosis.add("address", Severity::ok, url.authority);
        diagnosis.add("tls", Severity::error, "no handshake: " + fault.reason,
                      "Check that the port serves https. For a server without TLS give an http URL.");
        break;
    }
    return false;
  }
  diagnosis.add("address", Severity::ok, connection->address);
  if (!connection->tls) {
    const bool is_local = is_loopback(url);
    diagnosis.add("tls", is_local ? Severity::ok : Severity::warning, "not used",
                  is_local ? "" : "Give clients an https URL: others can read tokens and data on the way.");
    return true;
  }
  add_tls(*connection->tls, url, SystemClock().now(), diagnosis);
  return diagnosis.verdict().has_value();
}

void check_clock(const ProbedAnswer& answer, Instant before, Instant after, Diagnosis& diagnosis) {
  const auto date = parse_http_date(answer.date);
  if (!date) {
    return diagnosis.add("clock", Severity::warning, "the answer has no Date", "Let the proxy pass the header on.");
  }
  // Date has whole seconds, rounded down.
  std::int64_t difference = 0;
  if (*date < before.seconds()) difference = *date - before.seconds();
  if (*date > after.seconds()) difference = *date - after.seconds();
  const std::int64_t size = std::abs(difference);
  if (size <= max_clock_difference) {
    return diagnosis.add("clock", Severity::ok, "agrees with this machine's");
  }
  diagnosis.add(
      "clock", size > default_leeway ? Severity::error : Severity::warning,
      "the portal's is " + std::to_string(size) + " s " + (difference < 0 ? "behind" : "ahead of") + " this machine's",
      "Synchronise both with `timedatectl set-ntp true`: a wrong clock refuses valid tokens.");
}

// Returns whether a portal answers.
bool check_portal(const Url& url, const std::string& ca_file, Diagnosis& diagnosis) {
  const SystemClock clock;
  const Instant before = clock.now();
  const auto live = probe_get(url, ca_file, "/health/live", {});
  const Instant after = clock.now();
  if (!live) {
    diagnosis.add("portal", Severity::error, live.error(), "Check that the port serves " + url.authority + " by HTTP.");
    return false;
  }
  if (live->status == 400 && live->body.contains(message_text(Message::insecure_transport, Language::english))) {
    diagnosis.add("transport", Severity::error, "the portal serves https only on this port",
                  "Give the URL https://" + url.authority + '/');
    return false;
  }
  if (live->status != 200 || !live->body.starts_with(R"({"status":"Healthy","parts":)")) {
    diagnosis.add("portal", Severity::error,
                  "/health/live answers " + std::to_string(live->status) + ", not as a portal",
                  "Check host and port of the URL, and that the proxy passes /health/live to the portal.");
    return false;
  }
  diagnosis.add("portal", Severity::ok, "answers");
  check_clock(*live, before, after, diagnosis);
  return true;
}

void check_part(std::string_view name, const ProbedAnswer& ready, std::string_view remedy, Diagnosis& diagnosis) {
  const auto parts = raw_member(ready.body, "parts");
  const auto part = parts ? raw_member(*parts, name) : std::nullopt;
  if (part == "\"Healthy\"") return diagnosis.add(name, Severity::ok, "usable");
  if (part) diagnosis.add(name, Severity::error, "not usable: requests get 503", remedy);
}

void check_readiness(const Url& url, const std::string& ca_file, Diagnosis& diagnosis) {
  const auto ready = probe_get(url, ca_file, "/health/ready", {});
  if (!ready || !parse_json(ready->body)) {
    return diagnosis.add("ready", Severity::error,
                         ready ? "/health/ready answers " + std::to_string(ready->status) : ready.error(),
                         "Check that the proxy passes /health/ready to the portal.");
  }
  check_part("store", *ready, find_reason(text_of(Reason::store_unavailable))->remedy, diagnosis);
  check_part("keys", *ready, find_reason(text_of(Reason::no_keys))->remedy, diagnosis);
  check_part("host", *ready, "The server is stopping: wait for its restart.", diagnosis);
}

void check_transport(const Url& url, const std::string& ca_file, Diagnosis& diagnosis) {
  const auto answer = probe_get(url, ca_file, std::string(configuration_target), {});
  if (answer && answer->status == 403) {
    const Reason reason = url.is_https ? Reason::not_https_by_proxy : Reason::not_https;
    return diagnosis.add("transport", Severity::error, "the portal did not receive the request over HTTPS",
                         find_reason(text_of(reason))->remedy);
  }
  if (answer && answer->status == 429) {
    return diagnosis.add("transport", Severity::warning, "429: this address exceeds its rate limit",
                         find_reason(text_of(Reason::address_rate))->remedy);
  }
  const bool is_accepted = answer && (answer->status == 200 || answer->status == 503);
  if (!is_accepted) {
    return diagnosis.add(
        "transport", Severity::error,
        answer ? "the application configuration is answered by " + std::to_string(answer->status) : answer.error(),
        "Check that the proxy passes /api/ to the portal.");
  }
  diagnosis.add("transport", Severity::ok,
                !url.is_https      ? "the portal accepts http"
                : answer->ends_tls ? "https ends at the portal"
                                   : "https ends before the portal, which accepts it");
}

// Returns "alg "EdDSA", kid "one", iss …", of what the token claims; nothing of it is verified.
std::string describe_token(std::string_view token, std::int64_t now) {
  const auto part = [&token](std::size_t begin, std::size_t end) {
    const auto text = base64url_decode(token.substr(begin, end - begin));
    return text && parse_json(*text) ? *text : std::string("{}");
  };
  const std::size_t first = std::min(token.find('.'), token.size());
  const std::size_t second = std::min(token.find('.', first + 1), token.size());
  if (second == token.size()) return "not a compact JWS";
  const std::string header = part(0, first);
  const std::string claims = part(first + 1, second);
  std::string text;
  const auto append = [&text](const std::string& members, std::string_view name) {
    const auto value = raw_member(members, name);
    if (value) text.append(text.empty() ? "" : ", ").append(name).append(" ").append(*value);
  };
  append(header, "alg");
  append(header, "kid");
  append(claims, "iss");
  append(claims, "aud");
  const auto document = parse_json(claims);
  const auto object = document ? object_of(document->root()) : std::nullopt;
  const auto seconds_until = [&object, now](std::string_view name) -> std::optional<std::int64_t> {
    const auto value = object ? member(*object, name) : std::nullopt;
    const auto number = value ? number_of(*value) : std::nullopt;
    if (!number || std::abs(*number) > 1e15) return std::nullopt;
    return static_cast<std::int64_t>(std::floor(*number)) - now;
  };
  if (const auto left = seconds_until("exp")) {
    text +=
        *left > 0 ? ", expires in " + std::to_string(*left) + " s" : ", expired " + std::to_string(-*left) + " s ago";
  }
  if (const auto wait = seconds_until("nbf"); wait && *wait > 0) text += ", begins in " + std::to_string(*wait) + " s";
  return text;
}

// Returns the description of a challenge: error_description="…".
std::string_view description_of(std::string_view challenge) {
  constexpr std::string_view name = "error_description=\"";
  const std::size_t begin = challenge.find(name);
  if (begin == std::string_view::npos) return {};
  challenge.remove_prefix(begin + name.size());
  return challenge.substr(0, challenge.find('"'));
}

// Adds what leads from an answer to its line of the log, if the answer names one.
std::string with_log_line(std::string remedy, const ProbedAnswer& answer) {
  if (answer.correlation_id.empty()) return remedy;
  if (!remedy.empty()) remedy += ' ';
  return remedy + "With the log, `portail explain " + answer.correlation_id + "` says more.";
}

// Returns whether the portal accepts the token.
bool try_token(const Url& url, const DoctorArguments& arguments, const std::string& token, Diagnosis& diagnosis) {
  if (!url.is_https && !is_loopback(url)) {
    diagnosis.add("token", Severity::error, "not sent: the URL is not https", "Give an https URL.");
    return false;
  }
  const std::string claimed = describe_token(token, SystemClock().now().seconds());
  const auto answer = probe_get(url, arguments.ca_file, std::string(mail_objects_target), token);
  if (!answer) {
    diagnosis.add("token", Severity::error, answer.error(), "Check that the proxy passes /api/ to the portal.");
    return false;
  }
  if (answer->status == 200) {
    diagnosis.add("token", Severity::ok, claimed);
    return true;
  }
  if (answer->status == 503) {
    diagnosis.add("token", Severity::error, "503: the portal cannot verify it now",
                  with_log_line("See the checks `store` and `keys`.", *answer));
    return false;
  }
  const ReasonRow* row = find_reason(description_of(answer->challenge));
  if (answer->status == 401 && !row) row = find_reason(text_of(Reason::no_token));
  if (answer->status == 429) row = find_reason(text_of(Reason::subject_rate));
  if (answer->status == 403 && !row) {
    diagnosis.add("token", Severity::error, "403 (" + claimed + ')', "See the check `transport`.");
    return false;
  }
  diagnosis.add(
      "token", Severity::error,
      std::to_string(answer->status) + (row ? ": " + std::string(row->text) : std::string()) + " (" + claimed + ')',
      with_log_line(row ? std::string(row->remedy) : std::string(), *answer));
  return false;
}

void check_permissions(const Url& url, const DoctorArguments& arguments, const std::string& token,
                       Diagnosis& diagnosis) {
  const auto answer = probe_get(url, arguments.ca_file, std::string(configuration_target), token);
  const auto auth = answer ? raw_member(answer->body, "auth") : std::nullopt;
  const auto policies = auth ? raw_member(*auth, "grantedPolicies") : std::nullopt;
  if (!policies || !parse_json(answer->body)) {
    return diagnosis.add("permissions", Severity::error, "the application configuration cannot be read",
                         "Check that the proxy passes /api/ to the portal.");
  }
  std::string granted;
  std::string missing;
  const auto is_granted = [&policies](std::string_view name) { return raw_member(*policies, name) == "true"; };
  for (const Permission permission : all_permissions) {
    if (is_granted(name_of(permission))) granted.append(granted.empty() ? "" : ", ").append(name_of(permission));
  }
  for (const std::string& name : arguments.permissions) {
    if (!is_granted(name)) missing.append(missing.empty() ? "" : ", ").append(name);
  }
  if (missing.empty()) return diagnosis.add("permissions", Severity::ok, granted.empty() ? "none" : granted);
  diagnosis.add("permissions", Severity::error, "missing: " + missing,
                find_reason(text_of(Reason::no_dashboard_permission))->remedy);
}

std::expected<void, Fault> run_doctor(const DoctorArguments& arguments) {
  const auto url = parse_url(arguments.url);
  if (!url || url->target != "/") {
    return wrong_usage("the URL must be an http or https URL without a path, not " + arguments.url);
  }
  for (const std::string& name : arguments.permissions) {
    if (!permission_named(name)) return wrong_usage("--permission: unknown permission " + name);
  }
  const auto token = read_tried_token(arguments.token);
  if (!token) return std::unexpected(token.error());
  if (!arguments.permissions.empty() && token->empty()) return wrong_usage("--permission needs --token");
  if (const auto checked = check_ca_file(arguments.ca_file); !checked) return checked;
  Diagnosis diagnosis;
  if (check_connection(*url, arguments.ca_file, diagnosis) && check_portal(*url, arguments.ca_file, diagnosis)) {
    check_readiness(*url, arguments.ca_file, diagnosis);
    check_transport(*url, arguments.ca_file, diagnosis);
    if (!token->empty() && try_token(*url, arguments, *token, diagnosis)) {
      check_permissions(*url, arguments, *token, diagnosis);
    }
  }
  arguments.json ? diagnosis.print_json() : diagnosis.print_table();
  return diagnosis.verdict();
}

}  // namespace

Command doctor_command() {
  auto arguments = std::make_shared<DoctorArguments>();
  return {.name = "doctor",
          .help = "Ask a running portal as a client does: TLS, clock, store, keys, transport, token",
          .options = {{.name = "URL",
                       .help = "The portal's URL, without a path",
                       .field = &arguments->url,
                       .is_required = true},
                      {.name = "--token",
                       .help = "File of a token to try; - reads it from standard input",
                       .field = &arguments->token},
                      {.name = "--permission",
                       .help = "A permission that the token must have; repeatable",
                       .field = &arguments->permissions},
                      {.name = "--ca-file",
                       .help = "Certificate authorities of the portal, PEM; default: the system's",
                       .field = &arguments->ca_file},
                      {.name = "--json", .help = "One JSON object instead of a table", .field = &arguments->json}},
          .examples = {"portail doctor https://portal.example",
                       "portail doctor https://portal.example --token token.txt --permission "
                       "PortailClients.Dashboard.Host"},
          .run = [arguments](const SettingValues&) { return run_doctor(*arguments); }};
}

}  // namespace portail
