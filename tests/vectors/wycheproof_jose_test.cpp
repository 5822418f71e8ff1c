// Wycheproof's JSON Web Signatures and Keys, against the verification of tokens without that of claims. No package
// publishes these files: if they are missing, the tests are skipped (tests/skips.txt).
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/auth/token.hpp"
#include "tests/vectors/support/vector_files.hpp"

namespace portail {
namespace {

class WycheproofJose : public VectorTest {
 protected:
  WycheproofJose() : VectorTest("wycheproof/json_web_signature_test.json", in_no_package) {}
};

// Returns the keys of a group: only the public ones if it separates them.
LoadedKeySet keys_of(JsonObject group) {
  return load_vector_keys(object_in(group, member(group, "public") ? "public" : "private"));
}

// Returns whether the token of a test is accepted with the keys of its group.
bool is_accepted(JsonObject group, JsonObject test) {
  return verify_jws(text_in(test, "jws"), keys_of(group).keys).has_value();
}

TEST_F(WycheproofJose, SignaturesAreJudgedByTheProfile) {
  const VectorDocument profile("wycheproof/profile_json_web_signature.json");
  std::set<std::int64_t> accepted;
  const auto list = array_of(*member(profile.root(), "accepted"));
  ASSERT_TRUE(list.has_value());
  for (const JsonValue id : *list) accepted.insert(*integer_of(id));
  EXPECT_EQ(accepted.size(), 26U);

  std::size_t count_accepted = 0;
  const VectorDocument file("wycheproof/json_web_signature_test.json");
  const std::size_t count = for_each_test(file, [&](JsonObject group, JsonObject test) {
    const std::int64_t id = number_in(test, "tcId");
    const bool found = is_accepted(group, test);
    EXPECT_EQ(found, accepted.contains(id)) << "tcId " << id << ": " << text_in(test, "comment");
    count_accepted += found ? 1 : 0;
  });
  EXPECT_EQ(count_accepted, 26U);
  EXPECT_EQ(count - count_accepted, 375U);
}

// The cases in which this service's rules differ from Wycheproof's.
const std::map<std::int64_t, bool> key_cases_of_our_own{
    {1, true},    // a set of secret and public keys: a token's kid chooses one, which has one algorithm
    {4, true},    // two keys of one kid and alg: no key makes another unusable
    {7, true},    // a modulus of a faulty smart card (ROCA): the issuer must check that
    {14, false},  // HS384
    {15, false},  // HS512
};

TEST_F(WycheproofJose, KeysAreRefused) {
  std::size_t count_accepted = 0;
  const VectorDocument file("wycheproof/json_web_key_test.json");
  const std::size_t count = for_each_test(file, [&](JsonObject group, JsonObject test) {
    const std::int64_t id = number_in(test, "tcId");
    const auto own = key_cases_of_our_own.find(id);
    const bool expected = own != key_cases_of_our_own.end() ? own->second : text_in(test, "result") == "valid";
    const bool found = is_accepted(group, test);
    EXPECT_EQ(found, expected) << "tcId " << id << ": " << text_in(test, "comment");
    count_accepted += found ? 1 : 0;
  });
  EXPECT_EQ(count, 26U);
  EXPECT_EQ(count_accepted, 6U);
}

// A third file: some of the same signatures and keys, and encrypted tokens, none of which is accepted.
TEST_F(WycheproofJose, EncryptedTokensAreRefused) {
  std::size_t signatures = 0, encrypted = 0;
  std::vector<std::int64_t> accepted;
  const VectorDocument file("wycheproof/json_web_crypto_test.json");
  for_each_test(file, [&](JsonObject group, JsonObject test) {
    const auto signature = member(test, "jws");
    ++(signature ? signatures : encrypted);
    const auto token = signature ? *signature : *member(test, "jwe");
    // Some tokens are in JSON form.
    const std::string text(string_of(token).value_or(""));
    if (verify_jws(text.empty() ? json_text(token) : text, keys_of(group).keys)) {
      accepted.push_back(number_in(test, "tcId"));
    }
  });
  EXPECT_EQ(signatures, 49U);
  EXPECT_EQ(encrypted, 34U);
  // 46 and 47 are the cases 7 and 1 of the file of keys.
  EXPECT_EQ(accepted, (std::vector<std::int64_t>{1, 18, 33, 46, 47, 48}));
}

}  // namespace
}  // namespace portail
