// An issuer of tokens for a first portal, without an identity provider. Not for production: the program that has the
// object can sign a token for any user. The key is generated, and is lost with the object. One thread; `keys()` any.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/auth/key_source.hpp"
#include "core/auth/token_settings.hpp"
#include "core/auth/token_signer.hpp"
#include "core/base/context.hpp"
#include "core/base/time.hpp"

namespace portail {

// The claims of all tokens for development.
inline constexpr std::string_view development_issuer = "https://development.invalid";
inline constexpr std::string_view development_audience = "portail";
inline constexpr std::int64_t development_lifetime = std::int64_t{12} * 3600;  // seconds

class DevelopmentIssuer {
 public:
  explicit DevelopmentIssuer(RandomSource& random);
  DevelopmentIssuer(const DevelopmentIssuer&) = delete;
  DevelopmentIssuer& operator=(const DevelopmentIssuer&) = delete;

  // Returns the settings that accept the issuer's tokens.
  [[nodiscard]] TokenSettings settings() const;
  // Returns the source of the key that verifies them, which this object owns.
  [[nodiscard]] KeySource& keys() { return keys_; }
  // Returns a token of the subject, valid for twelve hours. The permissions are those of core/auth/permissions.hpp,
  // such as "PortailClients.Dashboard.Host".
  [[nodiscard]] std::string token(std::string_view subject, Instant now,
                                  std::initializer_list<std::string_view> permissions = {}) const;

 private:
  std::string key_;  // a private JWK
  FixedKeys keys_;
};

}  // namespace portail
