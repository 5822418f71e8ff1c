#include "core/http/transport.hpp"

#include <string_view>

#include "core/base/text.hpp"

namespace portail {
namespace {

std::string_view without_quotes(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

// The proto of a Forwarded value with one element (RFC 7239 section 4); empty where it has none, or is a list.
std::string_view forwarded_proto(std::string_view value) {
  std::string_view proto;
  while (!value.empty()) {
    const std::size_t end = value.find(';');
    const std::string_view pair = trimmed(value.substr(0, end));
    value = end == std::string_view::npos ? std::string_view{} : value.substr(end + 1);
    if (pair.contains(',')) return {};
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || !equals_ignoring_case(pair.substr(0, equals), "proto")) continue;
    if (!proto.empty()) return {};
    proto = without_quotes(pair.substr(equals + 1));
  }
  return proto;
}

bool is_https(std::string_view scheme) { return equals_ignoring_case(scheme, "https"); }

}  // namespace

bool is_transport_secure(const Request& request, Transport transport) {
  if (transport == Transport::loopback) return true;
  if (transport == Transport::direct || !request.forwarding_trusted) return request.scheme_is_https;

  const std::size_t protos = count_headers(request, "X-Forwarded-Proto");
  const std::size_t forwardeds = count_headers(request, "Forwarded");
  if (protos == 0 && forwardeds == 0) return request.scheme_is_https;
  if (protos > 1 || forwardeds > 1) return false;
  if (protos == 1 && !is_https(*find_header(request, "X-Forwarded-Proto"))) return false;
  return forwardeds == 0 || is_https(forwarded_proto(*find_header(request, "Forwarded")));
}

}  // namespace portail
