#include "native/portal_client/management_client.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>

#include "core/base/text.hpp"
#include "core/json/reader.hpp"
#include "native/http/tls.hpp"
#include "native/system/small_file.hpp"

namespace portail {
namespace {

constexpr int max_attempts = 5;
constexpr std::chrono::minutes answer_timeout{30};  // an import answers when it has ended
constexpr std::chrono::seconds connect_timeout{10};
constexpr std::chrono::seconds first_pause{1};  // doubled with each attempt

std::expected<void, Fault> check_client_certificate(const Url& url, const ClientTls& tls) {
  if (tls.certificate.empty() != tls.key.empty()) {
    return wrong_usage("--client-cert and --client-key must be given together");
  }
  if (tls.certificate.empty()) return {};
  if (!url.is_https) return wrong_usage("--client-cert needs an https URL");
  const auto loaded = TlsContext::load({.name = tls.certificate, .setting = "--client-cert"},
                                       {.name = tls.key, .setting = "--client-key"});
  if (!loaded) return failure(loaded.error());
  return {};
}

// Returns the message of an error's body; empty if it has none, and is not of a portal.
std::string error_message(std::string_view body) {
  const auto document = parse_json(body);
  const auto object = document ? object_of(document->root()) : std::nullopt;
  const auto error = object ? member(*object, "error") : std::nullopt;
  const auto members = error ? object_of(*error) : std::nullopt;
  return std::string(members ? string_member(*members, "message").value_or("") : "");
}

// Returns whether an import by this path may be sent in several parts.
bool may_be_in_parts(std::string_view path) {
  return path.starts_with("import") && !path.contains("prune") && !path.contains("dryRun");
}

// Returns what the operator of a proxy must do, after its answer with this status to a body of this size.
std::string proxy_remedy(int status, std::string_view path, std::size_t size) {
  switch (status) {
    case 200:
    case 301:
    case 302:
    case 307:
    case 308:
    case 404:
    case 405:
      return "let it pass /manage/ on to the management interface, or give --to the address of that";
    case 400:
      return "see its log; it may need https, or a certificate (--client-cert)";
    case 401:
    case 403:
      return "it demands authentication itself, or refuses this address";
    case 408:
      return "let it wait longer for a body (nginx: client_body_timeout)";
    case 413:
      return "let it accept bodies of " + std::to_string(size) + " bytes (nginx: client_max_body_size)" +
             (may_be_in_parts(path) ? ", or lower --part-size" : "");
    case 502:
    case 503:
      return "check that the portal runs, and at which address the proxy expects it (nginx: proxy_pass)";
    case 504:
      return "let it wait longer (nginx: proxy_read_timeout); the portal may still process the request";
    default:
      return "see its log";
  }
}

// Returns whether the answer is of a portal, not of a proxy: its errors have a message. A proxy may remove headers that
// it does not know.
bool is_of_portal(const HttpAnswer& answer, std::string_view message) {
  const bool has_content = !answer.header("X-Correlation-Id").empty() || answer.header("Content-Type").contains("json");
  return has_content && (answer.status == 200 || answer.status == 422 || !message.empty());
}

std::string describe_proxy(const HttpAnswer& answer, std::string_view path, std::size_t size) {
  const std::string_view server = answer.header("Server");
  return "a proxy" + (server.empty() ? std::string() : " (" + printable(server) + ")") + " answers " +
         std::to_string(answer.status) + " instead of the portal; " + proxy_remedy(answer.status, path, size);
}

}  // namespace

std::expected<std::string, Fault> read_bearer_token(const std::string& file) {
  std::string token;
  if (file.empty()) {
    const char* value = std::getenv("PORTAIL_TOKEN");
    token = value ? value : "";
  } else {
    auto text = read_small_file(file, "--token-file");
    if (!text) return failure(text.error());
    token = std::move(*text);
  }
  token = trimmed(token, " \t\r\n");
  const bool is_token = !token.empty() && std::ranges::all_of(token, is_visible_ascii);
  if (!is_token) return wrong_usage("no token: give --token-file a file with one, or set PORTAIL_TOKEN");
  return token;
}

std::expected<ManagementClient, Fault> ManagementClient::create(const std::string& url, const std::string& token_file,
                                                                ClientTls tls) {
  auto parsed = parse_url(url);
  if (!parsed || parsed->target != "/" || (!parsed->is_https && !is_loopback(*parsed))) {
    return wrong_usage("--to must be an https URL without a path, or an http one of a loopback address, not " + url);
  }
  if (auto checked = check_client_certificate(*parsed, tls); !checked) return std::unexpected(checked.error());
  auto token = read_bearer_token(token_file);
  if (!token) return std::unexpected(token.error());
  return ManagementClient(std::move(*parsed), std::move(*token), std::move(tls));
}

std::expected<ManagementClient::Answer, Fault> ManagementClient::send(const char* method, std::string_view path,
                                                                      std::string_view body,
                                                                      const char* content_type) const {
  const HttpRequest request{.method = method,
                            .target = "/manage/" + std::string(path),
                            .headers = {{"Authorization", "Bearer " + token_}, {"Content-Type", content_type}},
                            .body = body};
  std::string reason;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(first_pause * (1 << (attempt - 1)));
    const auto answer = HttpClient(url_, {.tls = tls_, .connect_timeout = connect_timeout})
                            .exchange(request, std::chrono::steady_clock::now() + answer_timeout);
    if (!answer) {
      reason = url_.authority + " does not answer (" + answer.error().reason + ")";
      continue;
    }
    const std::string message = error_message(answer->body);
    if (const int status = answer->status; !is_of_portal(*answer, message)) {
      reason = url_.authority + ": " + describe_proxy(*answer, path, body.size());
    } else if (status == 503) {
      reason = url_.authority + " answers 503: " + message;
    } else if (status == 401 || status == 403 || status == 404) {
      return failure(url_.authority + " answers " + std::to_string(status) + ": " + message +
                     "; it needs a token with PortailClients.Administration, and must be "
                     "the address of the management interface");
    } else {
      return Answer{.status = status, .body = answer->body};
    }
    if (answer->status != 503) break;
  }
  return failure(std::move(reason));
}

std::expected<std::string, Fault> ManagementClient::get(std::string_view path) const {
  auto answer = send("GET", path, {}, "application/json");
  if (!answer) return std::unexpected(answer.error());
  if (answer->status != 200) return refused(*answer);
  return std::move(answer->body);
}

std::unexpected<Fault> ManagementClient::refused(const Answer& answer) {
  return failure("the portal refuses with " + std::to_string(answer.status) + ": " + error_message(answer.body));
}

}  // namespace portail
