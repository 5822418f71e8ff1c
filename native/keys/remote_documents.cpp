#include "native/keys/remote_documents.hpp"

namespace portail::keys {

std::expected<std::string, std::string> RemoteDocument::read(std::stop_token stop) {
  const auto deadline = std::chrono::steady_clock::now() + options_.timeout;
  const Transport transport = location_.transport;
  auto document = http_get(location_.url, transport, options_.ca_file, deadline, stop);
  if (!document || !location_.is_discovery) return document;
  const auto keys = jwks_uri_of(*document, issuer_, transport);
  if (!keys) return std::unexpected(location_.url + " cannot be used: " + keys.error());
  return http_get(*keys, transport, options_.ca_file, deadline, std::move(stop));
}

}  // namespace portail::keys
