#include <gtest/gtest.h>

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/crypto/sign.hpp"
#include "tests/support/seeded_random.hpp"
#include "tests/unit/crypto/bytes.hpp"

namespace portail {
namespace {

// RFC 6979 appendix A.2.5: the key, and what it signs with SHA-256.
constexpr std::string_view scalar = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
constexpr std::string_view x = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6";
constexpr std::string_view y = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
constexpr std::string_view sample_signature =
    "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";
constexpr std::string_view order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
constexpr std::string_view prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
constexpr std::string_view zero = "0000000000000000000000000000000000000000000000000000000000000000";

P256PublicKey point(std::string_view first, std::string_view second) {
  return {array_of_hex<std::array<std::byte, 65>>("04" + std::string(first) + std::string(second))};
}

P256PrivateKey private_key(std::string_view hex) { return {array_of_hex<std::array<std::byte, 32>>(hex)}; }

bool verifies(std::string_view signature_hex) {
  return verify_es256(point(x, y), "sample", bytes_of_hex(signature_hex));
}

TEST(Es256, SignsAndVerifiesTheExampleOfItsStandard) {
  EXPECT_EQ(lower_hex(public_key_of(private_key(scalar))->point), "04" + std::string(x) + std::string(y));
  EXPECT_EQ(lower_hex(*sign_es256(private_key(scalar), "sample")), sample_signature);
  EXPECT_TRUE(verify_es256(point(x, y), "sample", bytes_of_hex(sample_signature)));
}

TEST(Es256, RefusesChangedInput) {
  const auto signature = bytes_of_hex(sample_signature);
  EXPECT_FALSE(verify_es256(point(x, y), "Sample", signature));
  for (const std::size_t i : {0U, 31U, 32U, 63U}) {
    auto changed = signature;
    changed[i] ^= std::byte{1};
    EXPECT_FALSE(verify_es256(point(x, y), "sample", changed)) << "byte " << i;
  }
}

TEST(Es256, RefusesSignaturesOfAnotherLength) {
  const std::string r(sample_signature.substr(0, 64)), s(sample_signature.substr(64));
  EXPECT_FALSE(verifies(""));
  EXPECT_FALSE(verifies(r + s.substr(2)));
  EXPECT_FALSE(verifies(r + s + "00"));
  EXPECT_FALSE(verifies("00" + r + "00" + s));              // the same numbers, of 33 bytes
  EXPECT_FALSE(verifies("3046022100" + r + "022100" + s));  // the same in DER
}

TEST(Es256, RefusesNumbersOutOfRange) {
  const std::string r(sample_signature.substr(0, 64)), s(sample_signature.substr(64));
  EXPECT_FALSE(verifies(std::string(zero) + std::string(zero)));
  EXPECT_FALSE(verifies(std::string(zero) + s));
  EXPECT_FALSE(verifies(r + std::string(zero)));
  EXPECT_FALSE(verifies(std::string(order) + s));
  EXPECT_FALSE(verifies(r + std::string(order)));
}

TEST(P256Key, IsValidOnTheCurveOnly) {
  EXPECT_TRUE(is_valid_key(point(x, y)));
  EXPECT_FALSE(is_valid_key(point(y, x)));
  EXPECT_FALSE(is_valid_key(point(zero, zero)));
  EXPECT_FALSE(is_valid_key(point(prime, y)));
  EXPECT_FALSE(is_valid_key(point(x, prime)));
  P256PublicKey hybrid = point(x, y);
  hybrid.point[0] = std::byte{7};
  EXPECT_FALSE(is_valid_key(hybrid));
}

// The point (0, sqrt(b)) is on the curve; (p, sqrt(b)) would be the same.
TEST(P256Key, IsInvalidIfACoordinateIsNotCanonical) {
  constexpr std::string_view root_of_b = "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4";
  EXPECT_TRUE(is_valid_key(point(zero, root_of_b)));
  EXPECT_FALSE(is_valid_key(point(prime, root_of_b)));
}

TEST(P256Key, HasAScalarBelowTheOrder) {
  EXPECT_FALSE(public_key_of(private_key(zero)).has_value());
  EXPECT_FALSE(public_key_of(private_key(order)).has_value());
  EXPECT_EQ(sign_es256(private_key(order), "sample"), std::nullopt);
}

TEST(P256Key, IsMadeFromTheRandomSource) {
  SeededRandom random;
  const P256PrivateKey first = generate_p256_key(random), second = generate_p256_key(random);
  EXPECT_NE(first.scalar, second.scalar);
  EXPECT_TRUE(is_valid_key(*public_key_of(first)));
}

}  // namespace
}  // namespace portail
