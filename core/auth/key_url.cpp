#include "core/auth/key_url.hpp"

#include <utility>

#include "core/json/reader.hpp"

namespace portail {
namespace {

constexpr std::string_view discovery_path = "/.well-known/openid-configuration";

}  // namespace

std::optional<Url> parse_key_url(std::string_view text, Transport transport) {
  auto url = parse_url(text);
  const bool is_allowed = url && (url->is_https || (transport == Transport::loopback && is_loopback(*url)));
  return is_allowed ? std::move(url) : std::nullopt;
}

std::optional<KeyLocation> key_location(std::string_view jwks, Transport transport) {
  const auto url = parse_key_url(jwks, transport);
  if (!url) return std::nullopt;
  return KeyLocation{.url = std::string(jwks),
                     .is_discovery = jwks.ends_with(discovery_path),
                     .transport = url->is_https ? Transport::direct : transport};
}

std::optional<KeyLocation> discovery_location(std::string_view issuer, Transport transport) {
  if (issuer.contains('?')) return std::nullopt;
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  return key_location(std::string(issuer).append(discovery_path), transport);
}

std::string describe_status(int status) {
  std::string text = "answered " + std::to_string(status);
  if (status >= 200 && status < 300) text += ", and only 200 has the document: check its address";
  if (status >= 300 && status < 400) text += ", and redirects are not followed";
  return text;
}

std::expected<std::string, std::string> jwks_uri_of(std::string_view discovery, std::string_view issuer,
                                                    Transport transport) {
  const auto document = parse_json(discovery, {.unique_names = true});
  const auto members = document ? object_of(document->root()) : std::nullopt;
  if (!members) return std::unexpected("it is not a JSON object");
  const auto named = member(*members, "issuer");
  const auto named_issuer = named ? string_of(*named) : std::nullopt;
  if (!named_issuer) return std::unexpected("it names no issuer");
  if (*named_issuer != issuer) {
    return std::unexpected("its issuer is " + std::string(*named_issuer) + ", not the configured one");
  }
  const auto uri = member(*members, "jwks_uri");
  const auto text = uri ? string_of(*uri) : std::nullopt;
  if (!text) return std::unexpected("it has no jwks_uri");
  if (!parse_key_url(*text, transport)) {
    return std::unexpected("its jwks_uri is not an https URL: " + std::string(*text));
  }
  return std::string(*text);
}

}  // namespace portail
