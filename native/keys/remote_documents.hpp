// Key sets at a URL: the operator's, or that of the issuer's discovery document.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/auth/key_url.hpp"
#include "native/keys/http_get.hpp"
#include "native/keys/key_document.hpp"

namespace portail::keys {

class RemoteDocument final : public Document {
 public:
  RemoteDocument(KeyLocation location, std::string issuer, FetchOptions options)
      : location_(std::move(location)), issuer_(std::move(issuer)), options_(std::move(options)) {}

  [[nodiscard]] std::string name() const override { return std::string(without_query(location_.url)); }
  // With discovery, fetches both documents each time, within one timeout.
  std::expected<std::string, std::string> read(std::stop_token stop) override;

 private:
  KeyLocation location_;
  std::string issuer_;
  FetchOptions options_;
};

}  // namespace portail::keys
