// docs/reference/contract.md, "Tokens": each attack of each family gets exactly the answer of its row.
#include <algorithm>
#include <array>
#include <ostream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

struct Family {
  const char* name;
  std::vector<Attack> (*attacks)();
};

constexpr std::array families{
    Family{"Algorithm", algorithm_attacks}, Family{"PublicKeyAsSecret", secret_attacks},
    Family{"KeyChoice", key_attacks},       Family{"EmbeddedKey", embedded_key_attacks},
    Family{"Extension", extension_attacks}, Family{"Type", type_attacks},
    Family{"Signature", signature_attacks}, Family{"Form", form_attacks},
    Family{"Encoding", encoding_attacks},   Family{"DuplicateName", duplicate_name_attacks},
    Family{"Json", json_attacks},           Family{"Size", size_attacks},
    Family{"Expiry", expiry_attacks},       Family{"Start", start_attacks},
    Family{"Issuer", issuer_attacks},       Family{"Audience", audience_attacks},
    Family{"Subject", subject_attacks},     Family{"TokenKind", kind_attacks},
    Family{"Tenant", tenant_attacks},       Family{"Request", request_attacks},
};

void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }

bool is_refused(const Attack& attack) { return attack.answer != accepted; }

class Attacks : public testing::TestWithParam<Family> {};

TEST_P(Attacks, AreAnsweredAsInTheTable) {
  for (const Attack& attack : GetParam().attacks()) EXPECT_EQ(verdict_on(attack), attack.answer) << attack.name;
}

TEST_P(Attacks, HaveAValidCaseThatIsAccepted) {
  const std::vector<Attack> attacks = GetParam().attacks();
  EXPECT_TRUE(std::ranges::any_of(attacks, is_refused));
  EXPECT_FALSE(std::ranges::all_of(attacks, is_refused));
}

INSTANTIATE_TEST_SUITE_P(Table, Attacks, testing::ValuesIn(families),
                         [](const auto& family) { return std::string(family.param.name); });

TEST(AttackTable, HoldsDistinctAttacks) {
  std::set<std::string> names;
  std::set<std::string> requests;
  std::size_t refused = 0;
  for (const Family& family : families) {
    for (const Attack& attack : family.attacks()) {
      EXPECT_TRUE(names.insert(family.name + std::string(": ").append(attack.name)).second) << attack.name;
      std::string request = attack.target + '\n' + attack.tenant + '\n' + attack.subject_claim;
      for (const auto& [name, value] : attack.headers) request.append("\n").append(name).append(":").append(value);
      EXPECT_TRUE(requests.insert(std::move(request)).second || attack.answer == accepted) << attack.name;
      if (is_refused(attack)) ++refused;
    }
  }
  EXPECT_GE(refused, 350U);
}

}  // namespace
}  // namespace portail
