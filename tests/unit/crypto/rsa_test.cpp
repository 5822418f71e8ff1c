// RS256 and PS256: accepted signatures, and similar ones that must be rejected.
#include <gtest/gtest.h>

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/crypto/rsa/private_key.hpp"
#include "core/crypto/signatures.hpp"
#include "tests/support/seeded_random.hpp"
#include "tests/unit/crypto/bytes.hpp"
#include "tests/unit/crypto/rsa_examples.hpp"

namespace portail {
namespace {

RsaPublicKey key_of(std::string_view modulus) { return {bytes_of_hex(modulus), bytes_of_hex("010001")}; }

using Verify = bool (*)(const RsaPublicKey&, std::string_view, std::span<const std::byte>);

struct Example {
  const char* name;
  Verify verify;
  std::string_view modulus, signature;
};
constexpr Example examples[] = {{"RS256", verify_rs256, rsa_modulus, rs256_signature},
                                {"PS256", verify_ps256, rsa_modulus, ps256_signature},
                                {"RS256, 2049 bits", verify_rs256, long_rsa_modulus, long_rs256_signature},
                                {"PS256, 2049 bits", verify_ps256, long_rsa_modulus, long_ps256_signature}};

TEST(Rsa, VerifiesSignaturesOfAnotherProgram) {
  for (const Example& example : examples) {
    EXPECT_TRUE(example.verify(key_of(example.modulus), "abc", bytes_of_hex(example.signature))) << example.name;
    EXPECT_FALSE(example.verify(key_of(example.modulus), "abd", bytes_of_hex(example.signature))) << example.name;
  }
}

TEST(Rsa, RefusesSignaturesOfAnotherLength) {
  for (const Example& example : examples) {
    const RsaPublicKey key = key_of(example.modulus);
    auto signature = bytes_of_hex(example.signature);
    EXPECT_FALSE(example.verify(key, "abc", {})) << example.name;
    EXPECT_FALSE(example.verify(key, "abc", std::span(signature).first(signature.size() - 1))) << example.name;
    signature.insert(signature.begin(), std::byte{0});
    EXPECT_FALSE(example.verify(key, "abc", signature)) << example.name;
    signature.resize(600);
    EXPECT_FALSE(example.verify(key, "abc", signature)) << example.name;
  }
}

TEST(Rsa, RefusesEveryChangedByte) {
  for (const Example& example : examples) {
    const auto signature = bytes_of_hex(example.signature);
    for (std::size_t i = 0; i < signature.size(); i += 51) {
      auto changed = signature;
      changed[i] ^= std::byte{1};
      EXPECT_FALSE(example.verify(key_of(example.modulus), "abc", changed)) << example.name << ", byte " << i;
    }
  }
}

// A signature and the same plus the modulus have the same power. The sum fits in 2049 bits.
TEST(Rsa, RefusesASignatureThatIsNotBelowTheModulus) {
  const RsaPublicKey key = key_of(long_rsa_modulus);
  for (const Example& example : std::span(examples).last(2)) {
    auto sum = bytes_of_hex(example.signature);
    unsigned carry = 0;
    for (std::size_t i = sum.size(); i-- > 0; carry >>= 8U) {
      carry += std::to_integer<unsigned>(sum[i]) + std::to_integer<unsigned>(key.modulus[i]);
      sum[i] = static_cast<std::byte>(carry & 0xffU);
    }
    ASSERT_EQ(carry, 0U);
    EXPECT_FALSE(example.verify(key, "abc", sum));
    EXPECT_FALSE(example.verify(key, "abc", key.modulus));
    EXPECT_FALSE(example.verify(key, "abc", std::vector(257, std::byte{0xff})));
    EXPECT_FALSE(example.verify(key, "abc", std::vector(257, std::byte{0})));
  }
}

TEST(Rsa, KeepsItsTwoPaddingsApart) {
  EXPECT_FALSE(verify_ps256(key_of(rsa_modulus), "abc", bytes_of_hex(rs256_signature)));
  EXPECT_FALSE(verify_rs256(key_of(rsa_modulus), "abc", bytes_of_hex(ps256_signature)));
}

TEST(Ps256, HasASaltOfThirtyTwoBytes) {
  EXPECT_FALSE(verify_ps256(key_of(rsa_modulus), "abc", bytes_of_hex(ps256_signature_with_short_salt)));
  EXPECT_FALSE(verify_ps256(key_of(rsa_modulus), "abc", bytes_of_hex(ps256_signature_with_long_salt)));
}

TEST(Rsa, GeneratesKeysThatSign) {
  SeededRandom random;
  const RsaPrivateKey key = generate_rsa_key(random);
  EXPECT_EQ(bit_length(key.public_key.modulus), 2048U);
  EXPECT_EQ(lower_hex(key.public_key.exponent), "010001");
  const auto rs256 = sign_rs256(key, "abc"), ps256 = sign_ps256(key, "abc");
  ASSERT_TRUE(rs256 && ps256);
  EXPECT_TRUE(verify_rs256(key.public_key, "abc", *rs256));
  EXPECT_TRUE(verify_ps256(key.public_key, "abc", *ps256));
  EXPECT_EQ(sign_ps256(key, "abc"), ps256);
  EXPECT_FALSE(verify_rs256(key_of(rsa_modulus), "abc", *rs256));
}

TEST(Rsa, DoesNotSignWithAnInvalidKey) {
  RsaPrivateKey key;
  key.public_key = key_of(rsa_modulus);
  EXPECT_EQ(sign_rs256(key, "abc"), std::nullopt);
  key.p = key.q = key.dp = key.dq = key.qi = std::vector(300, std::byte{1});
  EXPECT_EQ(sign_ps256(key, "abc"), std::nullopt);
}

// One byte more, even one that changes no value.
TEST(Rsa, DoesNotSignWithANumberLongerThanHalfTheModulus) {
  SeededRandom random;
  const RsaPrivateKey key = generate_rsa_key(random);
  for (const auto part :
       {&RsaPrivateKey::p, &RsaPrivateKey::q, &RsaPrivateKey::dp, &RsaPrivateKey::dq, &RsaPrivateKey::qi}) {
    RsaPrivateKey longer = key;
    auto& number = longer.*part;
    number.insert(number.begin(), 129 - number.size(), std::byte{0});
    EXPECT_EQ(sign_rs256(longer, "abc"), std::nullopt);
    EXPECT_EQ(sign_ps256(longer, "abc"), std::nullopt);
  }
}

}  // namespace
}  // namespace portail
