// Where a key set may be fetched, and OpenID Connect Discovery 1.0 (sections 4.1 to 4.3). Pure functions; any thread.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/http/transport.hpp"
#include "core/http/url.hpp"

namespace portail {

inline constexpr std::size_t max_fetched_size = std::size_t{256} * 1024;  // bytes of each document

// Where the keys come from.
struct KeyLocation {
  std::string url;            // of the key set or of the discovery document; may be fetched
  bool is_discovery = false;  // the document's `jwks_uri` is the key set's URL
  // For parse_key_url: loopback only if `url` is http, so that a document that came over TLS names no other URL.
  Transport transport = Transport::direct;
};

// Parses a URL of which keys may be fetched: https, or http of a loopback address if `transport` is loopback. Nullopt
// for other text. Any peer on the network can replace what plain HTTP transports.
std::optional<Url> parse_key_url(std::string_view text, Transport transport);

// Returns the location of the setting `jwks`: the URL of a key set, or of a discovery document if it ends with
// /.well-known/openid-configuration. Nullopt if it may not be fetched.
std::optional<KeyLocation> key_location(std::string_view jwks, Transport transport);

// Returns the location of the issuer's discovery document; nullopt if it may not be fetched, or has a query.
std::optional<KeyLocation> discovery_location(std::string_view issuer, Transport transport);

// Returns the `jwks_uri` of a discovery document of that issuer. The error states why the document is invalid.
std::expected<std::string, std::string> jwks_uri_of(std::string_view discovery, std::string_view issuer,
                                                    Transport transport);

// Returns why an answer with a status other than 200 is refused: "answered 404".
[[nodiscard]] std::string describe_status(int status);

}  // namespace portail
