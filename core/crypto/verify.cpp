#include "core/crypto/verify.hpp"

#include "core/crypto/ps256.hpp"
#include "core/crypto/rs256.hpp"

namespace portail {

bool verify(Algorithm algorithm, const KeyMaterial& material, std::string_view message,
            std::span<const std::byte> signature) {
  const auto* point = std::get_if<Ed25519PublicKey>(&material);
  const auto* p256 = std::get_if<P256PublicKey>(&material);
  const auto* rsa = std::get_if<RsaPublicKey>(&material);
  const auto* secret = std::get_if<HmacSecret>(&material);
  switch (algorithm) {
    case Algorithm::eddsa:
      return point && verify_eddsa(*point, message, signature);
    case Algorithm::es256:
      return p256 && verify_es256(*p256, message, signature);
    case Algorithm::rs256:
      return rsa && verify_rs256(*rsa, message, signature);
    case Algorithm::ps256:
      return rsa && verify_ps256(*rsa, message, signature);
    case Algorithm::hs256:
      return secret && verify_hs256(*secret, message, signature);
  }
  return false;
}

}  // namespace portail
