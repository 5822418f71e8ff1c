#include "native/check/check_portal.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/auth/permissions.hpp"
#include "core/auth/token_settings.hpp"
#include "core/base/text.hpp"
#include "core/http/messages.hpp"
#include "core/json/raw_json.hpp"
#include "core/json/reader.hpp"
#include "native/check/explain.hpp"
#include "native/check/portal_probe.hpp"
#include "native/http/certificate.hpp"
#include "native/http/response_writer.hpp"
#include "native/system/system.hpp"

namespace portail {
namespace {

constexpr std::int64_t seconds_of_day = 86'400;
constexpr std::int64_t max_clock_difference = 5;  // seconds, without a warning
constexpr std::int64_t default_leeway = TokenSettings().leeway_seconds;
constexpr std::string_view configuration_target =
    "/api/abp/application-configuration?IncludeLocalizationResources=false";
constexpr std::string_view mail_objects_target = "/api/app/objet-courrier?MaxResultCount=1";

// Adds a failed check and returns false.
bool fail(CheckReport& report, std::string_view name, std::string detail, std::string_view remedy) {
  report.add(name, Severity::error, std::move(detail), remedy);
  return false;
}

// Returns whether the certificate is accepted.
bool check_tls(const ProbedTls& tls, const Url& url, Instant now, CheckReport& report) {
  std::string unneeded;
  for (const auto& [name, validity, is_needed] : tls.chain) {
    const std::string certificate = "the certificate" + (name.empty() ? "" : ' ' + name);
    if (validity.end.seconds() < now.seconds()) {
      const std::string expired = certificate + " expired on " + day_text(validity.end);
      if (!is_needed) {
        unneeded += "; " + expired + ", and no client needs it";
        continue;
      }
      return fail(report, "tls", expired,
                  "Renew it, and run `systemctl reload portail`. If it is new, compare this machine's clock.");
    }
    if (is_needed && validity.begin.seconds() > now.seconds()) {
      return fail(report, "tls", certificate + " is not valid before " + day_text(validity.begin),
                  "Compare the clock of this machine: `timedatectl`.");
    }
  }
  if (!tls.is_for_host) {
    return fail(report, "tls", "the certificate is not for " + url.host,
                "Use a name of the certificate, or serve a certificate for this name.");
  }
  if (!tls.chain_fault.empty()) {
    return fail(report, "tls", "the certificate is not trusted: " + tls.chain_fault,
                "Serve the complete chain in `tls-cert`. For a private authority give --ca-file its file.");
  }
  const auto& [name, validity, is_needed] = first_to_expire(tls.chain);
  const bool is_soon = expiry_if_soon(validity, now).has_value();
  const std::int64_t days = (validity.end.seconds() - now.seconds()) / seconds_of_day;
  report.add("tls", is_soon || !unneeded.empty() ? Severity::warning : Severity::ok,
             tls.version + ", certificate" + (name.empty() ? "" : ' ' + name) + " valid until " +
                 day_text(validity.end) + ", " + std::to_string(days) + " days left" + unneeded,
             is_soon            ? "Renew the certificate, and run `systemctl reload portail`."
             : unneeded.empty() ? ""
                                : "Remove that certificate from `tls-cert`.");
  return true;
}

// Returns whether requests can be sent.
bool check_connection(const Url& url, const std::string& ca_file, CheckReport& report) {
  const auto connection = probe_connection(url, ca_file);
  if (!connection) {
    const ProbeFault& fault = connection.error();
    switch (fault.stage) {
      case ProbeFault::Stage::name:
        return fail(report, "address", url.host + ": " + fault.reason,
                    "Compare the host name with the DNS of this machine: `getent hosts " + url.host + "`.");
      case ProbeFault::Stage::connection:
        return fail(report, "address", fault.reason,
                    "Check that the server runs (`systemctl status portail`), its setting `listen`, and firewalls.");
      case ProbeFault::Stage::tls:
        break;
    }
    report.add("address", Severity::ok, url.authority);
    return fail(report, "tls", "no handshake: " + fault.reason,
                "Check that the port serves https. For a server without TLS give an http URL.");
  }
  report.add("address", Severity::ok, connection->address);
  if (!connection->tls) {
    const bool is_local = is_loopback(url);
    report.add("tls", is_local ? Severity::ok : Severity::warning, "not used",
               is_local ? "" : "Give clients an https URL: others can read tokens and data on the way.");
    return true;
  }
  return check_tls(*connection->tls, url, SystemClock().now(), report);
}

void check_clock(const ProbedAnswer& answer, Instant before, Instant after, CheckReport& report) {
  const auto date = parse_http_date(answer.date);
  if (!date) {
    return report.add("clock", Severity::warning, "the answer has no Date", "Let the proxy pass the header on.");
  }
  // Date has whole seconds, rounded down.
  std::int64_t difference = 0;
  if (*date < before.seconds()) difference = *date - before.seconds();
  if (*date > after.seconds()) difference = *date - after.seconds();
  const std::int64_t size = std::abs(difference);
  if (size <= max_clock_difference) {
    return report.add("clock", Severity::ok, "agrees with this machine's");
  }
  report.add(
      "clock", size > default_leeway ? Severity::error : Severity::warning,
      "the portal's is " + std::to_string(size) + " s " + (difference < 0 ? "behind" : "ahead of") + " this machine's",
      "Synchronise both with `timedatectl set-ntp true`: a wrong clock refuses valid tokens.");
}

// Returns whether a portal answers.
bool check_liveness(const Url& url, const std::string& ca_file, CheckReport& report) {
  const SystemClock clock;
  const Instant before = clock.now();
  const auto live = probe_get(url, ca_file, "/health/live", {});
  const Instant after = clock.now();
  if (!live) {
    return fail(report, "portal", live.error(), "Check that the port serves " + url.authority + " by HTTP.");
  }
  if (live->status == 400 && live->body.contains(message_text(Message::insecure_transport, Language::english))) {
    return fail(report, "transport", "the portal serves https only on this port",
                "Give the URL https://" + url.authority + '/');
  }
  if (live->status != 200 || !live->body.starts_with(R"({"status":"Healthy","parts":)")) {
    return fail(report, "portal", "/health/live answers " + std::to_string(live->status) + ", not as a portal",
                "Check host and port of the URL, and that the proxy passes /health/live to the portal.");
  }
  report.add("portal", Severity::ok, "answers");
  check_clock(*live, before, after, report);
  return true;
}

// `check` is the name of the check of a part of /health/ready.
void check_part(std::string_view check, std::string_view name, const ProbedAnswer& ready, std::string_view remedy,
                CheckReport& report) {
  const auto parts = raw_member(ready.body, "parts");
  const auto part = parts ? raw_member(*parts, name) : std::nullopt;
  if (part == "\"Healthy\"") return report.add(check, Severity::ok, "usable");
  if (part) report.add(check, Severity::error, "not usable: requests get 503", remedy);
}

void check_readiness(const Url& url, const std::string& ca_file, CheckReport& report) {
  const auto ready = probe_get(url, ca_file, "/health/ready", {});
  if (!ready || !parse_json(ready->body)) {
    return report.add("ready", Severity::error,
                      ready ? "/health/ready answers " + std::to_string(ready->status) : ready.error(),
                      "Check that the proxy passes /health/ready to the portal.");
  }
  check_part("portal store", "store", *ready, find_reason(text_of(Reason::store_unavailable))->remedy, report);
  check_part("portal keys", "keys", *ready, find_reason(text_of(Reason::no_keys))->remedy, report);
  check_part("portal host", "host", *ready, "The server is stopping: wait for its restart.", report);
}

void check_transport(const Url& url, const std::string& ca_file, CheckReport& report) {
  const auto answer = probe_get(url, ca_file, std::string(configuration_target), {});
  if (answer && answer->status == 403) {
    const Reason reason = url.is_https ? Reason::not_https_by_proxy : Reason::not_https;
    return report.add("transport", Severity::error, "the portal did not receive the request over HTTPS",
                      find_reason(text_of(reason))->remedy);
  }
  if (answer && answer->status == 429) {
    return report.add("transport", Severity::warning, "429: this address exceeds its rate limit",
                      find_reason(text_of(Reason::address_rate))->remedy);
  }
  const bool is_accepted = answer && (answer->status == 200 || answer->status == 503);
  if (!is_accepted) {
    return report.add(
        "transport", Severity::error,
        answer ? "the application configuration is answered by " + std::to_string(answer->status) : answer.error(),
        "Check that the proxy passes /api/ to the portal.");
  }
  report.add("transport", Severity::ok,
             !url.is_https      ? "the portal accepts http"
             : answer->ends_tls ? "https ends at the portal"
                                : "https ends before the portal, which accepts it");
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
bool try_token(const RunningPortal& portal, CheckReport& report) {
  constexpr std::string_view name = "portal token";
  if (!portal.url.is_https && !is_loopback(portal.url)) {
    return fail(report, name, "not sent: the URL is not https", "Give an https URL.");
  }
  const std::string& token = *portal.token;
  if (!std::ranges::all_of(token, is_visible_ascii)) {
    return fail(report, name, "not sent: it has other characters than those of a token",
                "Give the provider's access token unchanged.");
  }
  const std::string claimed = summarize_token(token, SystemClock().now());
  const auto answer = probe_get(portal.url, portal.ca_file, std::string(mail_objects_target), token);
  if (!answer) return fail(report, name, answer.error(), "Check that the proxy passes /api/ to the portal.");
  if (answer->status == 200) {
    report.add(name, Severity::ok, claimed);
    return true;
  }
  if (answer->status == 503) {
    return fail(report, name, "503: the portal cannot verify it now",
                with_log_line("See the checks `portal store` and `portal keys`.", *answer));
  }
  const ReasonRow* row = find_reason(description_of(answer->challenge));
  if (answer->status == 401 && !row) row = find_reason(text_of(Reason::no_token));
  if (answer->status == 429) row = find_reason(text_of(Reason::subject_rate));
  if (answer->status == 403 && !row) {
    return fail(report, name, "403 (" + claimed + ')', "See the check `transport`.");
  }
  return fail(
      report, name,
      std::to_string(answer->status) + (row ? ": " + std::string(row->text) : std::string()) + " (" + claimed + ')',
      with_log_line(row ? std::string(row->remedy) : std::string(), *answer));
}

void check_permissions(const RunningPortal& portal, CheckReport& report) {
  const auto answer = probe_get(portal.url, portal.ca_file, std::string(configuration_target), *portal.token);
  const auto auth = answer ? raw_member(answer->body, "auth") : std::nullopt;
  const auto policies = auth ? raw_member(*auth, "grantedPolicies") : std::nullopt;
  if (!policies || !parse_json(answer->body)) {
    return report.add("permissions", Severity::error, "the application configuration cannot be read",
                      "Check that the proxy passes /api/ to the portal.");
  }
  std::string granted;
  std::string missing;
  const auto is_granted = [&policies](std::string_view name) { return raw_member(*policies, name) == "true"; };
  for (const Permission permission : all_permissions) {
    if (is_granted(name_of(permission))) granted.append(granted.empty() ? "" : ", ").append(name_of(permission));
  }
  for (const std::string& name : portal.permissions) {
    if (!is_granted(name)) missing.append(missing.empty() ? "" : ", ").append(name);
  }
  if (missing.empty()) return report.add("permissions", Severity::ok, granted.empty() ? "none" : granted);
  report.add("permissions", Severity::error, "missing: " + missing,
             find_reason(text_of(Reason::no_dashboard_permission))->remedy);
}

}  // namespace

void check_portal(const RunningPortal& portal, CheckReport& report) {
  const Url& url = portal.url;
  if (!check_connection(url, portal.ca_file, report) || !check_liveness(url, portal.ca_file, report)) return;
  check_readiness(url, portal.ca_file, report);
  check_transport(url, portal.ca_file, report);
  if (portal.token && try_token(portal, report)) check_permissions(portal, report);
}

}  // namespace portail
