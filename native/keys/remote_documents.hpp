// Key sets at an https address: one that the operator names, or the one that the issuer's discovery document names.
#pragma once

#include <string>
#include <utility>

#include "native/keys/https_get.hpp"
#include "native/keys/key_document.hpp"

namespace portail {

class HttpsDocument final : public KeyDocument {
 public:
  // `url` is one that parse_https_url takes.
  HttpsDocument(std::string url, HttpsLimits limits) : url_(std::move(url)), limits_(std::move(limits)) {}

  [[nodiscard]] std::string name() const override { return std::string(without_query(url_)); }
  std::expected<std::string, std::string> read(std::stop_token stop) override;

 private:
  std::string url_;
  HttpsLimits limits_;
};

// OpenID Connect Discovery 1.0, sections 4.1 to 4.3: the document's `issuer` is this issuer, exactly, and its
// `jwks_uri` an https URL. Both are fetched each time, within the time of the limits together.
class DiscoveredDocument final : public KeyDocument {
 public:
  // `issuer` is an https URL without a query.
  DiscoveredDocument(std::string issuer, HttpsLimits limits);

  [[nodiscard]] std::string name() const override { return url_; }
  std::expected<std::string, std::string> read(std::stop_token stop) override;

 private:
  std::string issuer_;
  std::string url_;  // of the discovery document
  HttpsLimits limits_;
};

// The `jwks_uri` of a discovery document; else what is wrong with it.
std::expected<std::string, std::string> jwks_uri_of(std::string_view discovery, std::string_view issuer);

}  // namespace portail
