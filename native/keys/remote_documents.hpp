// Key sets at an https URL: the operator's, or that of the issuer's discovery document.
#pragma once

#include <string>
#include <utility>

#include "native/keys/https_get.hpp"
#include "native/keys/key_document.hpp"

namespace portail::keys {

class HttpsDocument final : public Document {
 public:
  // parse_https_url() must accept `url`.
  HttpsDocument(std::string url, HttpsOptions options) : url_(std::move(url)), options_(std::move(options)) {}

  [[nodiscard]] std::string name() const override { return std::string(without_query(url_)); }
  std::expected<std::string, std::string> read(std::stop_token stop) override;

 private:
  std::string url_;
  HttpsOptions options_;
};

// OpenID Connect Discovery 1.0, sections 4.1 to 4.3: the document's `issuer` must equal this issuer, and its `jwks_uri`
// must be an https URL. Fetches both documents each time, within one timeout.
class DiscoveredDocument final : public Document {
 public:
  // `issuer` must be an https URL without a query.
  DiscoveredDocument(std::string issuer, HttpsOptions options);

  [[nodiscard]] std::string name() const override { return url_; }
  std::expected<std::string, std::string> read(std::stop_token stop) override;

 private:
  std::string issuer_;
  std::string url_;  // of the discovery document
  HttpsOptions options_;
};

// Returns the `jwks_uri` of a discovery document; the error states why it is invalid.
std::expected<std::string, std::string> jwks_uri_of(std::string_view discovery, std::string_view issuer);

}  // namespace portail::keys
