// The RSA and P-256 keys of the key rules, and their signatures, through OpenSSL. Fixed, so that the key set is the
// same on every run; they protect nothing. Throws std::runtime_error after an error of OpenSSL.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portail::contract {

// Private keys, PKCS #8 in PEM.
extern const std::string_view ec_pem;         // on P-256
extern const std::string_view rsa_pem;        // of 2048 bits
extern const std::string_view short_rsa_pem;  // of 1024 bits

struct RsaNumbers {
  std::string modulus, exponent;  // big-endian, without leading zeros
};
RsaNumbers rsa_numbers(std::string_view pem);

struct EcPoint {
  std::string x, y;  // 32 bytes each
};
EcPoint ec_point(std::string_view pem);

// The signature of RS256, PS256 or ES256 in the form of JWS.
std::string rsa_or_ec_signature(std::string_view algorithm, std::string_view pem, std::string_view message);
// A signature of ES256 in the form of X.509, which is invalid in JWS.
std::string der_signature(std::string_view pem, std::string_view message);
// A valid RS256 signature for a key with exponent 1, which needs no private key.
std::string signature_under_exponent_one(std::size_t modulus_bytes, std::string_view message);

}  // namespace portail::contract
