#include "native/page/local_request.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/base/text.hpp"

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

}  // namespace portail
