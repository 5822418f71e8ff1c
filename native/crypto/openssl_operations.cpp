#include "native/crypto/openssl_operations.hpp"

#include <array>
#include <memory>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

namespace portail {
namespace {

template <auto release>
struct Release {
  template <class Object>
  void operator()(Object* object) const {
    release(object);
  }
};
using Number = std::unique_ptr<BIGNUM, Release<BN_free>>;
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Release<EVP_PKEY_CTX_free>>;

const unsigned char* as_unsigned(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Number number_of(std::span<const std::byte> bytes) {
  return Number(BN_bin2bn(as_unsigned(bytes), static_cast<int>(bytes.size()), nullptr));
}

// Created for each signature: costs a tenth of the verification, and saves a cache. Null if OpenSSL rejects the point.
Key key_of(const P256PublicKey& key) {
  auto point = key.point;
  std::array group{'P', '-', '2', '5', '6', '\0'};
  const std::array parameters{OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group.data(), 0),
                              OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
                              OSSL_PARAM_construct_end()};
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  EVP_PKEY* key_pointer = nullptr;
  if (!context || EVP_PKEY_fromdata_init(context.get()) != 1) return nullptr;
  // OpenSSL does not modify the parameters.
  EVP_PKEY_fromdata(context.get(), &key_pointer, EVP_PKEY_PUBLIC_KEY, const_cast<OSSL_PARAM*>(parameters.data()));
  return Key(key_pointer);
}

// Two INTEGERs of at most 33 bytes in a SEQUENCE (RFC 3279 section 2.2.3).
struct DerSignature {
  std::array<unsigned char, 72> bytes;
  std::size_t size = 0;
};

DerSignature to_der(std::span<const std::byte, 64> signature) {
  const std::unique_ptr<ECDSA_SIG, Release<ECDSA_SIG_free>> numbers(ECDSA_SIG_new());
  Number r = number_of(signature.first<32>());
  Number s = number_of(signature.last<32>());
  DerSignature der;
  if (!numbers || !r || !s) return der;
  ECDSA_SIG_set0(numbers.get(), r.release(), s.release());
  unsigned char* end = der.bytes.data();
  const int size = i2d_ECDSA_SIG(numbers.get(), &end);
  if (size > 0) der.size = static_cast<std::size_t>(size);
  return der;
}

// Clears the thread's error queue, where the next TLS call would find these errors.
bool clear_errors(bool result) {
  ERR_clear_error();
  return result;
}

bool verify_p256(const P256PublicKey& key, const Hash32& hash, std::span<const std::byte, 64> signature) {
  const Key public_key = key_of(key);
  const KeyContext context(public_key ? EVP_PKEY_CTX_new(public_key.get(), nullptr) : nullptr);
  const DerSignature der = to_der(signature);
  return clear_errors(context && der.size > 0 && EVP_PKEY_verify_init(context.get()) == 1 &&
                      EVP_PKEY_verify(context.get(), der.bytes.data(), der.size, as_unsigned(hash), hash.size()) == 1);
}

// Computes the power only, without OpenSSL's RSA: OpenSSL has other limits for keys, and padding is checked by the same
// code for all libraries (core/crypto/signatures.cpp).
bool rsa_power(const RsaPublicKey& key, std::span<std::byte> number) {
  const Number modulus = number_of(key.modulus);
  const Number exponent = number_of(key.exponent);
  const Number base = number_of(number);
  const Number power(BN_new());
  const std::unique_ptr<BN_CTX, Release<BN_CTX_free>> scratch(BN_CTX_new());
  if (!modulus || !exponent || !base || !power || !scratch) return clear_errors(false);
  const int size = static_cast<int>(number.size());
  return clear_errors(BN_cmp(base.get(), modulus.get()) < 0 &&
                      BN_mod_exp_mont(power.get(), base.get(), exponent.get(), modulus.get(), scratch.get(), nullptr) ==
                          1 &&
                      BN_bn2binpad(power.get(), reinterpret_cast<unsigned char*>(number.data()), size) == size);
}

constexpr PublicKeyOperations operations{.verify_p256 = verify_p256, .rsa_power = rsa_power};

}  // namespace

const PublicKeyOperations& openssl_operations() { return operations; }

}  // namespace portail
