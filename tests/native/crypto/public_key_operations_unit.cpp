// OpenSSL (the native program) and BearSSL (guests) return the same results for the same numbers.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/text.hpp"
#include "core/crypto/bearssl/operations.hpp"
#include "core/crypto/rsa/private_key.hpp"
#include "core/crypto/sign.hpp"
#include "native/crypto/openssl_operations.hpp"
#include "tests/support/seeded_random.hpp"
#include "tests/unit/crypto/bytes.hpp"
#include "tests/unit/crypto/rsa_examples.hpp"

namespace portail {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(RandomSource& random, std::size_t size) {
  Bytes bytes(size);
  random.fill(bytes);
  return bytes;
}

// Returns `number` + `addend` modulo 256^size; both have this size.
Bytes plus(Bytes number, std::span<const std::byte> addend) {
  unsigned carry = 0;
  for (std::size_t i = number.size(); i-- > 0; carry >>= 8U) {
    carry += std::to_integer<unsigned>(number[i]) + std::to_integer<unsigned>(addend[i]);
    number[i] = static_cast<std::byte>(carry & 0xffU);
  }
  return number;
}

Bytes negated(Bytes number) {
  for (std::byte& byte : number) byte = ~byte;
  Bytes one(number.size());
  one.back() = std::byte{1};
  return plus(std::move(number), one);
}

const Bytes order = bytes_of_hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
const Bytes zero(32);

struct P256Case {
  P256PublicKey key;
  Hash32 hash;
  Bytes r, s;
};

bool verdict(const PublicKeyOperations& operations, const P256Case& example) {
  Bytes signature = example.r;
  signature.insert(signature.end(), example.s.begin(), example.s.end());
  return operations.verify_p256(example.key, example.hash, std::span(signature).first<64>());
}

void expect_of_both(const P256Case& example, bool expected, std::string_view what) {
  EXPECT_EQ(verdict(openssl_operations(), example), expected) << what << ", OpenSSL";
  EXPECT_EQ(verdict(bearssl_operations(), example), expected) << what << ", BearSSL";
}

P256Case signed_case(const P256PrivateKey& key, const std::string& message) {
  const P256Signature signature = *sign_es256(key, message);
  return {.key = *public_key_of(key),
          .hash = sha256(std::as_bytes(std::span(message))),
          .r = {signature.begin(), signature.begin() + 32},
          .s = {signature.begin() + 32, signature.end()}};
}

TEST(P256Operations, AgreeOnGoodAndOnDamagedSignatures) {
  SeededRandom random;
  for (int round = 0; round < 20; ++round) {
    const P256Case good = signed_case(generate_p256_key(random), std::to_string(round));
    expect_of_both(good, true, "as it was signed");
    P256Case changed = good;
    changed.s = plus(order, negated(good.s));
    expect_of_both(changed, true, "the other s, which ECDSA accepts too");
    for (std::size_t bit = static_cast<std::size_t>(round) % 8; bit < 256; bit += 61) {
      const std::byte flip = std::byte{1} << (bit % 8);
      (changed = good).r[bit / 8] ^= flip;
      expect_of_both(changed, false, "a bit of r");
      (changed = good).s[bit / 8] ^= flip;
      expect_of_both(changed, false, "a bit of s");
      (changed = good).hash[bit / 8] ^= flip;
      expect_of_both(changed, false, "a bit of the hash");
    }
    changed = good;
    std::swap(changed.r, changed.s);
    expect_of_both(changed, false, "r and s exchanged");
    (changed = good).key = *public_key_of(generate_p256_key(random));
    expect_of_both(changed, false, "another key");
  }
}

TEST(P256Operations, AgreeOnNumbersWithLeadingZeros) {
  SeededRandom random;
  const P256PrivateKey key = generate_p256_key(random);
  int short_r = 0, short_s = 0;
  for (int i = 0; short_r == 0 || short_s == 0; ++i) {
    ASSERT_LT(i, 10'000);
    const P256Case example = signed_case(key, std::to_string(i));
    const bool r = example.r[0] == std::byte{0}, s = example.s[0] == std::byte{0};
    short_r += r ? 1 : 0;
    short_s += s ? 1 : 0;
    if (r || s) expect_of_both(example, true, "a number of 31 bytes");
  }
}

TEST(P256Operations, AgreeOnNumbersOutOfRange) {
  SeededRandom random;
  const P256Case good = signed_case(generate_p256_key(random), "message");
  const Bytes most(32, std::byte{0xff});
  Bytes below_order = order;
  below_order.back() ^= std::byte{1};
  for (const Bytes& number : {zero, order, most, below_order}) {
    expect_of_both({good.key, good.hash, number, good.s}, false, "r " + lower_hex(number));
    expect_of_both({good.key, good.hash, good.r, number}, false, "s " + lower_hex(number));
    expect_of_both({good.key, good.hash, number, number}, false, "both " + lower_hex(number));
  }
}

// If r is small, r + order has the same residue modulo the order, but is not a valid signature.
TEST(P256Operations, AgreeThatANumberAboveTheOrderIsNotReduced) {
  SeededRandom random;
  P256Case example = signed_case(generate_p256_key(random), "message");
  example.r = zero;
  for (unsigned small = 1; small < 8; ++small) {
    example.r.back() = static_cast<std::byte>(small);
    expect_of_both(example, false, "a small r");
    expect_of_both({example.key, example.hash, plus(order, example.r), example.s}, false, "and the order");
  }
}

TEST(P256Operations, AgreeOnHashesAboveTheOrder) {
  SeededRandom random;
  P256Case example = signed_case(generate_p256_key(random), "message");
  example.hash.fill(std::byte{0xff});
  expect_of_both(example, false, "another hash");
  std::ranges::copy(order, example.hash.begin());
  example.hash.back() ^= std::byte{2};
  expect_of_both(example, false, "little more than the order");
}

// Returns the power, or nullopt.
std::optional<Bytes> power(const PublicKeyOperations& operations, const RsaPublicKey& key, Bytes number) {
  if (!operations.rsa_power(key, number)) return std::nullopt;
  return number;
}

// Returns the result of both libraries, which must be equal.
std::optional<Bytes> power_by_both(const RsaPublicKey& key, const Bytes& number) {
  auto by_openssl = power(openssl_operations(), key, number);
  EXPECT_EQ(by_openssl, power(bearssl_operations(), key, number))
      << bit_length(key.modulus) << " bits, exponent " << lower_hex(key.exponent) << ", number " << lower_hex(number);
  return by_openssl;
}

// Random odd numbers of a given bit length.
Bytes modulus_of(RandomSource& random, std::size_t bits) {
  Bytes modulus = random_bytes(random, (bits + 7) / 8);
  const unsigned top = 1U << ((bits - 1) % 8);
  modulus[0] = static_cast<std::byte>((std::to_integer<unsigned>(modulus[0]) & (top - 1)) | top);
  modulus.back() |= std::byte{1};
  return modulus;
}

TEST(RsaOperations, AgreeOnModuliOfAllSizesAndExponentsOfAllKinds) {
  SeededRandom random;
  for (const std::size_t bits : {2048U, 2049U, 2055U, 2056U, 3072U, 4095U, 4096U}) {
    const Bytes modulus = modulus_of(random, bits);
    for (const Bytes& exponent :
         {bytes_of_hex("03"), bytes_of_hex("11"), bytes_of_hex("010001"), bytes_of_hex("ffffffff"),
          bytes_of_hex("0100000000000000000000000000000001"), modulus, bytes_of_hex("02"), bytes_of_hex("010000")}) {
      const RsaPublicKey key{modulus, exponent};
      Bytes number = random_bytes(random, modulus.size());
      number[0] &= modulus[0] >> 1;
      EXPECT_TRUE(power_by_both(key, number));
      Bytes one(modulus.size());
      EXPECT_EQ(power_by_both(key, one), one) << "zero";
      one.back() = std::byte{1};
      EXPECT_EQ(power_by_both(key, one), one);
    }
  }
}

TEST(RsaOperations, AgreeOnNumbersBelowTheModulus) {
  SeededRandom random;
  for (const std::size_t bits : {2048U, 2049U, 4096U}) {
    const RsaPublicKey key{modulus_of(random, bits), bytes_of_hex("010001")};
    Bytes one(key.modulus.size());
    one.back() = std::byte{1};
    const Bytes below = plus(key.modulus, negated(one));
    EXPECT_EQ(power_by_both(key, below), below) << "-1 to an odd power";
    EXPECT_EQ(power_by_both(key, key.modulus), std::nullopt);
    EXPECT_EQ(power_by_both(key, plus(key.modulus, one)), std::nullopt);
    EXPECT_EQ(power_by_both(key, Bytes(key.modulus.size(), std::byte{0xff})), std::nullopt);
  }
}

TEST(RsaOperations, AgreeThatAnEvenModulusIsInvalid) {
  RsaPublicKey key{bytes_of_hex(rsa_modulus), bytes_of_hex("010001")};
  key.modulus.back() ^= std::byte{1};
  EXPECT_EQ(power_by_both(key, bytes_of_hex(rs256_signature)), std::nullopt);
}

TEST(RsaOperations, AgreeOnSignaturesGoodAndDamaged) {
  const RsaPublicKey key{bytes_of_hex(rsa_modulus), bytes_of_hex("010001")};
  for (const std::string_view signature :
       {rs256_signature, ps256_signature, ps256_signature_with_short_salt, ps256_signature_with_long_salt}) {
    const Bytes good = bytes_of_hex(signature);
    const auto encoded = power_by_both(key, good);
    ASSERT_TRUE(encoded);
    for (std::size_t i = 0; i < good.size(); i += 17) {
      Bytes changed = good;
      changed[i] ^= std::byte{0x10};
      EXPECT_NE(power_by_both(key, changed), encoded);
    }
  }
}

TEST(PublicKeyOperations, AreOpenSslsByDefault) { EXPECT_EQ(&public_key_operations(), &openssl_operations()); }

}  // namespace
}  // namespace portail
