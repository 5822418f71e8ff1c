#include "core/storage/key.hpp"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

using namespace std::string_view_literals;

TEST(Key, NamesEveryKindOfValue) {
  EXPECT_EQ(format_key, "format");
  EXPECT_EQ(configuration_key, "configuration");
  EXPECT_EQ(grants_key, "droits");
  EXPECT_EQ(stored_key_set_key, "config.jwks");
  EXPECT_EQ(catalogue_key(0), "catalogue.0");
  EXPECT_EQ(catalogue_key(4294967295), "catalogue.4294967295");
  EXPECT_EQ(template_key(9007199254740991, 12), "modele.9007199254740991.12");
  EXPECT_EQ(bundle_key("l-2024_0001"), "liasse.l-2024_0001");
  EXPECT_EQ(third_party_key("0001"), "tiers.0001");
  EXPECT_EQ(person_key(user_index_prefix, "sub-client-1", 0), "utilisateur.sub-client-1.0");
  EXPECT_EQ(person_key(manager_index_prefix, "sub-manager-1", 3), "gestionnaire.sub-manager-1.3");
  EXPECT_EQ(consultation_key("sub-client-1", 1), "consultation.sub-client-1.1");
  EXPECT_EQ(audit_prefix, "audit.");
}

TEST(Key, EncodesEveryOtherByte) {
  EXPECT_EQ(bundle_key("L-2024"), "liasse.=4C-2024");
  EXPECT_EQ(bundle_key("é"), "liasse.=C3=A9");
  EXPECT_EQ(bundle_key("a.b=c/d e"), "liasse.a=2Eb=3Dc=2Fd=20e");
  EXPECT_EQ(bundle_key("\0\xFF"sv), "liasse.=00=FF");
  EXPECT_EQ(bundle_key(""), "liasse.=");
  EXPECT_EQ(person_key(user_index_prefix, "auth0|5f7c", 0), "utilisateur.auth0=7C5f7c.0");
}

TEST(Key, KeepsAnEncodingOf160BytesAndHashesALongerOne) {
  const std::string longest(160, 'a');
  EXPECT_EQ(bundle_key(longest), "liasse." + longest);
  // BLAKE2b with a digest of 16 bytes, the output of `b2sum -l 128`.
  EXPECT_EQ(bundle_key(longest + "a"), "liasse.=hcff1a5bc3436f226b3f344bab355a3fc");
  EXPECT_EQ(consultation_key(std::string(54, 'A'), 4294967295),
            "consultation.=hea41db81952dee694fff03110e02ed56.4294967295");
  EXPECT_EQ(bundle_key(std::string(53, 'A')).size(), 7 + 159);
}

TEST(Key, StaysWithinThePortsLimit) {
  const std::string longest(max_encoded_part, 'a');
  EXPECT_LE(consultation_key(longest, 4294967295).size(), max_key_size);
  EXPECT_LE(person_key(manager_index_prefix, longest, 4294967295).size(), max_key_size);
  EXPECT_LE(consultation_key(std::string(255, 'A'), 4294967295).size(), max_key_size);
}

TEST(Key, CannotBeConfusedWithAHash) {
  EXPECT_EQ(bundle_key("=hcff1a5bc3436f226b3f344bab355a3fc"), "liasse.=3Dhcff1a5bc3436f226b3f344bab355a3fc");
}

TEST(Key, IsOfItsIdentifierAlone) {
  std::set<std::string> keys;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string key = bundle_key(std::string{'x', static_cast<char>(byte)});
    EXPECT_EQ(key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_=ABCDEF.-"), std::string::npos) << byte;
    keys.insert(key);
  }
  EXPECT_EQ(keys.size(), 256U);
}

}  // namespace
}  // namespace portail
