#include "native/page/page.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/auth/request_limits.hpp"
#include "core/base/text.hpp"
#include "core/http/conditional.hpp"
#include "core/http/cors.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/problem.hpp"
#include "core/http/request.hpp"
#include "core/http/target.hpp"
#include "core/http/transport.hpp"
#include "core/json/writer.hpp"
#include "native/http/content_coding.hpp"
#include "page/files.hpp"

namespace portail {
namespace {

// Names that browsers resolve to this machine themselves. Any other name may be pointed here by the owner of another
// server.
constexpr std::array<std::string_view, 3> local_hosts{"localhost", "127.0.0.1", "[::1]"};

// Headers that proxies, tunnels and content delivery networks add. A name that ends in `-` is a prefix.
constexpr std::array<std::string_view, 45> forwarding_headers{"Forwarded",
                                                              "Forwarded-For",
                                                              "Forwarded-Proto",
                                                              "Via",
                                                              "X-Forwarded",
                                                              "X-Forwarded-",
                                                              "X-Forward-",
                                                              "X-Original-",
                                                              "X-Originating-",
                                                              "X-Real-",
                                                              "X-Remote-",
                                                              "X-Client-",
                                                              "X-Cluster-",
                                                              "X-Proxy-",
                                                              "X-ProxyUser-Ip",
                                                              "X-Scheme",
                                                              "X-Host",
                                                              "X-Url-Scheme",
                                                              "X-Nginx-Proxy",
                                                              "X-Varnish",
                                                              "X-Envoy-",
                                                              "X-Amzn-",
                                                              "X-Amz-Cf-",
                                                              "X-Appengine-",
                                                              "X-Cloud-Trace-Context",
                                                              "X-ARR-",
                                                              "X-Azure-",
                                                              "X-FD-",
                                                              "X-Vercel-",
                                                              "X-NF-",
                                                              "X-Sucuri-",
                                                              "Ali-",
                                                              "CDN-",
                                                              "CF-",
                                                              "Client-IP",
                                                              "CloudFront-",
                                                              "DO-Connecting-IP",
                                                              "Fastly-",
                                                              "Fly-",
                                                              "Front-End-Https",
                                                              "Proxy-",
                                                              "Tailscale-",
                                                              "True-Client-",
                                                              "WL-Proxy-",
                                                              "Ngrok-"};

bool is_forwarding_header(std::string_view header) {
  return std::ranges::any_of(forwarding_headers, [header](std::string_view name) {
    return equals_ignoring_case(name.ends_with('-') ? header.substr(0, name.size()) : header, name);
  });
}

bool is_local_host(std::string_view host) {
  return std::ranges::any_of(local_hosts, [host](std::string_view name) {
    const std::string_view rest = host.substr(std::min(name.size(), host.size()));
    return equals_ignoring_case(host.substr(0, name.size()), name) && (rest.empty() || rest.front() == ':');
  });
}

// Whether Origin is absent or this server's origin (RFC 6454, section 7); "null" is a different one.
bool is_same_origin(const Request& request, std::string_view host) {
  const auto origin = find_header(request, "Origin");
  if (!origin) return true;
  const std::string_view scheme = request.scheme_is_https ? "https://" : "http://";
  return origin->starts_with(scheme) && equals_ignoring_case(origin->substr(scheme.size()), host);
}

// Whether Sec-Fetch-Site (Fetch Metadata) is absent, or names this origin or the user ("none").
bool is_same_site(const Request& request) {
  const auto site = find_header(request, "Sec-Fetch-Site");
  return !site || *site == "same-origin" || *site == "none";
}

}  // namespace

bool is_local_request(const Request& request) {
  const auto host = find_header(request, "Host");
  if (!host || !is_local_host(*host) || request.forwarding_trusted) return false;
  if (count_headers(request, "Origin") > 1 || count_headers(request, "Sec-Fetch-Site") > 1) return false;
  if (!is_same_origin(request, *host) || !is_same_site(request)) return false;
  return std::ranges::none_of(request.headers,
                              [](const HeaderView& header) { return is_forwarding_header(header.name); });
}

namespace {

constexpr std::string_view settings_path = page_routes[1];
constexpr std::string_view redirect_path = page_routes[2];
constexpr std::string_view cross_origin_resource_policy = "Cross-Origin-Resource-Policy";
constexpr std::array stored_codings{ContentCoding::brotli};

const PageFile* find_file(std::string_view path) {
  const auto files = page_files();
  const auto found = std::ranges::find(files, path, &PageFile::path);
  return found == files.end() ? nullptr : &*found;
}

// The source expression of the identity provider in a policy, after a space; empty: there is none.
std::string provider_source(const PageSettings& page) { return page.sign_in ? " " + page.sign_in->origin : ""; }

// The Content-Security-Policy of the page: this server and the identity provider, which may be in a hidden frame for a
// silent renewal. That frame ends at the page, so the page may frame itself.
std::string build_policy(const PageSettings& page) {
  const std::string provider = provider_source(page);
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'" +
         provider + "; frame-src 'self'" + provider +
         "; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'";
}

// Swagger UI sanitizes the HTML that it inserts, and its style has inline pictures.
std::string build_viewer_policy(const PageSettings& page) {
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'" +
         provider_source(page) + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

// The viewer, and the page that completes its sign-in.
bool is_viewer(const PageFile& file) { return file.path.starts_with("/swagger/"); }
bool is_document(const PageFile& file) { return file.path == "/" || is_viewer(file); }

std::string build_settings_document(const PageSettings& page, std::string_view personas) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("signIn");
  if (const auto& sign_in = page.sign_in) {
    json.begin_object().name("authority").string(sign_in->authority).name("client").string(sign_in->client);
    json.name("scope").string(sign_in->scope).name("parameters").begin_object();
    for (const auto& [name, value] : sign_in->parameters) json.name(name).string(value);
    json.end_object().end_object();
  } else {
    json.null();
  }
  if (!page.deposit_url.empty()) json.name("depositUrl").string(page.deposit_url);
  if (!page.contacts.empty()) {
    json.name("contacts").begin_object();
    for (const auto& [language, contact] : page.contacts) json.name(language).string(contact);
    json.end_object();
  }
  json.name("currency").string(page.currency);
  json.name("personas").raw(personas).end_object();
  return text;
}

Response file_answer(const Request& request, const PageFile& file, std::string_view policy) {
  const FailedCondition failed = failed_condition(request, file.tag);
  if (failed != FailedCondition::none && failed != FailedCondition::if_none_match) {
    return precondition_problem(preferred_language(request), failed);
  }
  Response response;
  response.headers.push_back({"ETag", std::string(file.tag)});
  response.headers.push_back({"Cache-Control", is_viewer(file)     ? "private, no-cache"
                                               : is_document(file) ? "no-cache"
                                                                   : "public, max-age=31536000, immutable"});
  if (is_document(file)) {
    response.headers.push_back({"Content-Security-Policy", std::string(policy)});
    response.headers.push_back({"Referrer-Policy", "no-referrer"});
    response.headers.push_back({"Cross-Origin-Opener-Policy", "same-origin"});
  }
  if (failed == FailedCondition::if_none_match) {
    response.status = 304;
    return response;
  }
  response.headers.push_back({"Content-Type", std::string(file.media_type)});
  const bool compressed = preferred_coding(request, stored_codings) == ContentCoding::brotli;
  if (compressed) mark_coded(response, ContentCoding::brotli);
  response.body = std::string(compressed ? file.brotli : file.bytes);
  return response;
}

}  // namespace

Page::Page(const PageSettings& page, const Settings& settings)
    : has_sign_in_(page.sign_in.has_value()),
      policy_(build_policy(page)),
      viewer_policy_(build_viewer_policy(page)),
      settings_document_(build_settings_document(page, "[]")),
      personas_document_(page.personas.empty() ? "" : build_settings_document(page, page.personas)),
      transport_(settings.transport),
      allowed_origins_(settings.allowed_origins) {}

std::optional<Response> Page::answer(const Context& context, const Request& request) const {
  const std::string_view path = raw_path(request.target);
  const PageFile* file = path == redirect_path && !has_sign_in_ ? nullptr : find_file(path);
  if (!file && path != settings_path) return std::nullopt;
  const bool is_refused = !Target::parse(request.target) || !is_transport_secure(request, transport_);
  if (is_refused || asks_server_options(request)) return std::nullopt;
  // No other origin may read the settings: their preflight is answered like any wrong method.
  if (file && preflight_answer(request, allowed_origins_)) return std::nullopt;
  const Language language = preferred_language(request);
  const auto exceeded = context.limits ? context.limits->count_request() : std::nullopt;
  Response response;
  if (exceeded) {
    response = too_many_requests_problem(language, *exceeded);
    response.summary.reason = exceeded->reason;
  } else if (request.method != "GET" && request.method != "HEAD") {
    response = method_not_allowed_problem(language, "GET, HEAD");
  } else {
    response = file ? file_answer(request, *file, is_viewer(*file) ? viewer_policy_ : policy_) : settings_for(request);
  }
  if (!file) response.headers.push_back({cross_origin_resource_policy, "same-origin"});
  if (!exceeded) response.summary.route = !file ? settings_path : is_document(*file) ? file->path : page_routes[0];
  return response;
}

Response Page::settings_for(const Request& request) const {
  Response response;
  response.headers.push_back({"Content-Type", "application/json; charset=utf-8"});
  response.headers.push_back({"Cache-Control", "no-store"});
  response.headers.push_back({"Vary", "*"});  // by any header that is_local_request() reads, and by the connection
  const bool has_personas = !personas_document_.empty() && is_local_request(request);
  response.body = has_personas ? personas_document_ : settings_document_;
  return response;
}

bool is_same_origin_only(const Response& response) {
  return find_header(response, cross_origin_resource_policy) != nullptr;
}

}  // namespace portail
