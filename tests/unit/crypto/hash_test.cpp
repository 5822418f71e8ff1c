#include "core/crypto/hash.hpp"

#include <gtest/gtest.h>

#include "core/base/text.hpp"
#include "tests/unit/crypto/bytes.hpp"

namespace portail {
namespace {

TEST(Blake2b, HashesToSixteenBytes) {
  EXPECT_EQ(lower_hex(blake2b("")), "cae66941d9efbd404e4d88758ea67670");
  EXPECT_EQ(lower_hex(blake2b("abc")), "cf4ab791c62b8d2b2109c90275287816");
}

TEST(Blake2b, TakesItsBytesPieceByPiece) {
  Blake2b hash;
  for (int i = 0; i < 1000; ++i) hash.update("é");
  EXPECT_EQ(lower_hex(hash.finish()), "1f69733d8046372560fa352fb7391f54");

  Blake2b nothing;
  nothing.update({});
  EXPECT_EQ(lower_hex(nothing.finish()), "cae66941d9efbd404e4d88758ea67670");
}

// FIPS 180-4's example, and no bytes at all.
TEST(Sha256, FollowsItsStandard) {
  EXPECT_EQ(lower_hex(sha256(bytes_of_hex("616263"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(lower_hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

// RFC 4231, test cases 1 and 6.
TEST(HmacSha256, FollowsItsStandard) {
  EXPECT_EQ(lower_hex(hmac_sha256(std::vector(20, std::byte{0x0b}), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(lower_hex(hmac_sha256(std::vector(131, std::byte{0xaa}),
                                  "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256, TakesAnEmptyKeyAndAnEmptyMessage) {
  EXPECT_EQ(lower_hex(hmac_sha256({}, {})), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

}  // namespace
}  // namespace portail
