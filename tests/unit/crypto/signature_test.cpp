#include <algorithm>

#include <gtest/gtest.h>

#include "core/base/text.hpp"
#include "core/crypto/sign.hpp"
#include "core/crypto/signatures.hpp"
#include "tests/unit/crypto/bytes.hpp"

namespace portail {
namespace {

Ed25519PublicKey point(std::string_view hex) { return {array_of_hex<std::array<std::byte, 32>>(hex)}; }

// RFC 8032 section 7.1, tests 1 and 3.
struct Ed25519Example {
  std::string_view seed, key, message, signature;
};
constexpr Ed25519Example ed25519_examples[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe246"
     "55141438e7a100b"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "\xaf\x82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc"
     "027beceea1ec40a"},
};

TEST(EdDsa, SignsAndVerifiesTheExamplesOfItsStandard) {
  for (const Ed25519Example& example : ed25519_examples) {
    const auto seed = array_of_hex<Ed25519Seed>(example.seed);
    EXPECT_EQ(lower_hex(public_key_of(seed).point), example.key);
    EXPECT_EQ(lower_hex(sign_eddsa(seed, example.message)), example.signature);
    EXPECT_TRUE(verify_eddsa(point(example.key), example.message, bytes_of_hex(example.signature)));
  }
}

TEST(EdDsa, RefusesChangedInput) {
  const Ed25519Example& example = ed25519_examples[1];
  const auto signature = bytes_of_hex(example.signature);
  EXPECT_FALSE(verify_eddsa(point(example.key), "\xaf\x83", signature));
  EXPECT_FALSE(verify_eddsa(point(ed25519_examples[0].key), example.message, signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    auto changed = signature;
    changed[i] ^= std::byte{1};
    EXPECT_FALSE(verify_eddsa(point(example.key), example.message, changed)) << "byte " << i;
  }
}

TEST(EdDsa, RefusesSignaturesOfAnotherLength) {
  const Ed25519Example& example = ed25519_examples[1];
  auto signature = bytes_of_hex(example.signature);
  signature.push_back(std::byte{0});
  EXPECT_FALSE(verify_eddsa(point(example.key), example.message, signature));
  signature.resize(63);
  EXPECT_FALSE(verify_eddsa(point(example.key), example.message, signature));
  EXPECT_FALSE(verify_eddsa(point(example.key), example.message, {}));
}

// S and S + L sign the same; only the smaller one is canonical (RFC 8032 section 5.1.7).
TEST(EdDsa, RefusesTheSecondFormOfASignature) {
  EXPECT_FALSE(verify_eddsa(
      point(ed25519_examples[0].key), "",
      bytes_of_hex(
          "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901554c8c7872aa064e049dbb3013fbf29380d25bf5"
          "f0595bbe24655141438e7a101b")));
}

TEST(Ed25519Key, IsValidOnTheCurve) {
  EXPECT_TRUE(is_valid_key(point("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")));
}

TEST(Ed25519Key, IsInvalidOffTheCurve) {
  EXPECT_FALSE(is_valid_key(point("0200000000000000000000000000000000000000000000000000000000000000")));
}

TEST(Ed25519Key, IsInvalidIfThePointIsOfLowOrder) {
  for (std::string_view hex : {
           "0100000000000000000000000000000000000000000000000000000000000000",
           "0000000000000000000000000000000000000000000000000000000000000000",
           "0000000000000000000000000000000000000000000000000000000000000080",
           "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
           "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
           "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
           "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
           "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
       }) {
    EXPECT_FALSE(is_valid_key(point(hex))) << hex;
  }
}

// y = 2^255 - 19 + n stands for y = n.
TEST(Ed25519Key, IsInvalidIfItsEncodingIsNotCanonical) {
  EXPECT_FALSE(is_valid_key(point("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")));
  EXPECT_FALSE(is_valid_key(point("f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")));
  EXPECT_FALSE(is_valid_key(point("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")));
}

TEST(Hs256, SignsAndVerifies) {
  const HmacSecret secret{std::vector(131, std::byte{0xaa})};
  constexpr std::string_view message = "Test Using Larger Than Block-Size Key - Hash Key First";
  const auto mac = bytes_of_hex("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_TRUE(std::ranges::equal(sign_hs256(secret, message), mac));
  EXPECT_TRUE(verify_hs256(secret, message, mac));
  for (std::size_t i = 0; i < mac.size(); ++i) {
    auto changed = mac;
    changed[i] ^= std::byte{0x80};
    EXPECT_FALSE(verify_hs256(secret, message, changed)) << "byte " << i;
  }
  EXPECT_FALSE(verify_hs256(secret, message, std::span(mac).first(31)));
  EXPECT_FALSE(verify_hs256(secret, message, {}));
}

}  // namespace
}  // namespace portail
