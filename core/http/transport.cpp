#include "core/http/transport.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/http/header_fields.hpp"
#include "core/http/url.hpp"

namespace portail {
namespace {

// Returns the proto of a Forwarded value with one element (RFC 7239 section 4). Empty if there is none or more than
// one, if the value is a list, or if a quoted string is malformed: an unterminated one would hide the text that a proxy
// appended.
std::string forwarded_proto(std::string_view value) {
  std::string_view list = value;
  if (take_item(list, ',').size() < value.size()) return {};
  std::optional<std::string> proto;
  while (!value.empty()) {
    std::string_view text = take_item(value, ';');
    const std::string_view name = take_until(text, '=');
    if (name.contains('"') || (text.contains('"') && !parameter_value(text))) return {};
    if (!equals_ignoring_case(name, "proto")) continue;
    if (proto) return {};
    proto = parameter_value(text).value_or("");
  }
  return proto.value_or("");
}

bool is_https(std::string_view scheme) { return equals_ignoring_case(scheme, "https"); }

bool is_forwarded_secure(const Request& request) {
  const std::size_t protos = count_headers(request, "X-Forwarded-Proto");
  const std::size_t forwardeds = count_headers(request, "Forwarded");
  if (protos == 0 && forwardeds == 0) return request.scheme_is_https;
  if (protos > 1 || forwardeds > 1) return false;
  if (protos == 1 && !is_https(*find_header(request, "X-Forwarded-Proto"))) return false;
  return forwardeds == 0 || is_https(forwarded_proto(*find_header(request, "Forwarded")));
}

// Returns whether the client's URL has a loopback host. A client that can reach the host under such a name is on the
// same machine, unless a proxy replaces the name: most proxies then report themselves in one of these headers.
bool addresses_loopback(const Request& request) {
  constexpr std::array<std::string_view, 7> of_proxies{"Forwarded",         "Via",       "X-Forwarded-For",
                                                       "X-Forwarded-Host",  "X-Real-IP", "X-Forwarded-Proto",
                                                       "X-Forwarded-Server"};
  if (count_headers(request, "Host") != 1 ||
      std::ranges::any_of(of_proxies, [&](std::string_view name) { return find_header(request, name).has_value(); })) {
    return false;
  }
  const std::string_view host = *find_header(request, "Host");
  const auto url = parse_url(std::string("http://").append(host));
  return url && url->authority == host && is_loopback(*url);
}

}  // namespace

bool is_transport_secure(const Request& request, Transport transport) {
  if (transport == Transport::loopback) return true;
  if (transport == Transport::direct || !request.forwarding_trusted) return request.scheme_is_https;
  return is_forwarded_secure(request) || (transport == Transport::forwarded_or_loopback && addresses_loopback(request));
}

Reason insecure_transport_reason(Transport transport) {
  if (transport == Transport::forwarded) return Reason::not_https_by_proxy;
  if (transport == Transport::forwarded_or_loopback) return Reason::not_https_by_proxy_or_loopback;
  return Reason::not_https;
}

}  // namespace portail
