#include "native/keys/remote_documents.hpp"

#include "core/json/reader.hpp"

namespace portail::keys {

using std::chrono::steady_clock;

std::expected<std::string, std::string> HttpsDocument::read(std::stop_token stop) {
  return https_get(url_, options_.ca_file, steady_clock::now() + options_.timeout, std::move(stop));
}

DiscoveredDocument::DiscoveredDocument(std::string issuer, HttpsOptions options)
    : issuer_(std::move(issuer)), url_(issuer_), options_(std::move(options)) {
  if (url_.ends_with('/')) url_.pop_back();
  url_ += "/.well-known/openid-configuration";
}

std::expected<std::string, std::string> DiscoveredDocument::read(std::stop_token stop) {
  const auto deadline = steady_clock::now() + options_.timeout;
  const auto discovery = https_get(url_, options_.ca_file, deadline, stop);
  if (!discovery) return std::unexpected(discovery.error());
  const auto keys = jwks_uri_of(*discovery, issuer_);
  if (!keys) return std::unexpected(url_ + " cannot be used: " + keys.error());
  return https_get(*keys, options_.ca_file, deadline, std::move(stop));
}

std::expected<std::string, std::string> jwks_uri_of(std::string_view discovery, std::string_view issuer) {
  const auto document = parse_json(discovery, {.unique_names = true});
  const auto members = document ? object_of(document->root()) : std::nullopt;
  if (!members) return std::unexpected("it is not a JSON object");
  const auto named = member(*members, "issuer");
  const auto named_issuer = named ? string_of(*named) : std::nullopt;
  if (!named_issuer) return std::unexpected("it names no issuer");
  if (*named_issuer != issuer)
    return std::unexpected("its issuer is " + std::string(*named_issuer) + ", not the --issuer");
  const auto uri = member(*members, "jwks_uri");
  const auto text = uri ? string_of(*uri) : std::nullopt;
  if (!text) return std::unexpected("it has no jwks_uri");
  if (!parse_https_url(*text)) return std::unexpected("its jwks_uri is not an https URL: " + std::string(*text));
  return std::string(*text);
}

}  // namespace portail::keys
