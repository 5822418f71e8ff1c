// docs/reference/contract.md, "Answers": lists of more than 256 bundles or 512 KiB, which the service streams, and
// their tag.
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/portal_document.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

constexpr int count = 300;

std::string client() { return token(fill("$RUN-long")); }
std::string manager() { return token(fill("$RUN-long-manager"), {{"roles", json_string(fill("$RUN-gestionnaire"))}}); }
std::string admin() { return token(fill("$RUN-admin")); }

// Every third bundle is a year younger, so that the order differs from that of the import and of the identifiers.
std::string date_of(int number) { return number % 3 == 0 ? "2024-06-01T00:00:00+02:00" : "2023-06-01T00:00:00+02:00"; }

std::string third_party(const std::string& last_name, const std::string& first_name) {
  return R"("tiers":[{"numeroTiers":"$RUN-T9","nomTiers":")" + last_name + R"(","prenomTiers":")" + first_name +
         R"(","utilisateurs":["$RUN-long"],"gestionnaires":["$RUN-long-manager"]}])";
}

std::string mail_object(const std::string& description) {
  return R"("objetsCourrier":[{"id":$36,"typeObjet":"$RUN~36","description":")" + description +
         R"(","utilisablePourLiasse":true,"typeAffectation":"Rien"}])";
}

// The first one has a piece, which is derogated.
CaseBundle bundle_of(int number, const std::string& name = "Long") {
  CaseBundle bundle{.id = "$RUN-long-" + std::to_string(1000 + number),
                    .name = name,
                    .creation_date = date_of(number),
                    .third_party = "$RUN-T9",
                    .amount = "1.50",
                    .put_in_place = "true"};
  if (number == 0) {
    bundle.pieces =
        R"({"id":"$u90","objetCourrier":$36,"statut":"Dérogé","motif":null,"dateDepot":"2024-07-01T00:00:00+02:00"})";
  }
  return bundle;
}

// The bundle in a list, before any change.
std::string wire_bundle(int number) {
  const bool has_piece = number == 0;
  std::string text = R"({"id":"$RUN-long-)" + std::to_string(1000 + number) +
                     R"(","nomDossier":"Long","creationDate":")" + date_of(number) + R"(","statut":")" +
                     (has_piece ? R"(En cours","completion":0,"deposeeDepuisDerniereConsultation":true)"
                                : R"(Complet","completion":100,"deposeeDepuisDerniereConsultation":false)") +
                     R"(,"erreur":null,"piecesAttendues":[)";
  if (has_piece) {
    text += R"({"id":"$u90","objetCourrier":{"id":$36,"typeObjet":"$RUN~36","description":"Objet 36",)"
            R"("utilisablePourLiasse":true,"typeAffectation":"Rien","lienFichier":null,"nomFichier":null},)"
            R"("statut":"Dérogé","motif":null})";
  }
  return text + answer_tail(bundle_of(number), "Long", "Léon");
}

// Newest first, then by id.
std::string expected_list() {
  std::string list;
  for (const bool younger : {true, false}) {
    for (int number = 0; number < count; ++number) {
      if ((number % 3 == 0) == younger) list += (list.empty() ? "[" : ",") + wire_bundle(number);
    }
  }
  return fill(list + "]");
}

class LongLists : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string bundles;
    for (int number = 0; number < count; ++number) {
      bundles += (number == 0 ? "" : ",") + document_bundle(bundle_of(number));
    }
    import_or_fail("{" + mail_object("Objet 36") + "," + third_party("Long", "Léon") + R"(,"liasses":[)" + bundles +
                   "]}");
  }

  static Reply list() { return get("/api/app/liasse").bearer(client()).send(); }
  // Expects another list than `before`, with another tag, and returns it.
  static Reply expect_changed(const Reply& before) {
    const Reply after = get("/api/app/liasse").bearer(client()).header("If-None-Match", before.header("ETag")).send();
    EXPECT_EQ(after.status, 200) << describe(after);
    EXPECT_NE(after.body, before.body);
    EXPECT_NE(after.header("ETag"), before.header("ETag"));
    return after;
  }
};

// The order of the cases matters: the first ones read what the last one changes.
TEST_F(LongLists, AreNewestFirst) {
  checks("Answers: bundle lists");
  expect_json(list(), expected_list());
  expect_json(get("/api/app/liasse/dashboard-list").bearer(manager()).send(), expected_list());
}

TEST_F(LongLists, HaveAStrongTag) {
  checks("Answers: validators, ETag on every 200");
  checks("Answers: validators, If-None-Match");
  const Reply reply = list();
  const std::string tag = reply.header("ETag");
  EXPECT_TRUE(tag.size() > 2 && tag.front() == '"' && tag.back() == '"') << describe(reply);
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
  EXPECT_EQ(list().header("ETag"), tag);
  const Reply head_only = head("/api/app/liasse").bearer(client()).send();
  EXPECT_EQ(head_only.status, 200) << describe(head_only);
  EXPECT_EQ(head_only.header("ETag"), tag);
  for (const std::string& value : {tag, "W/" + tag, "\"a\", " + tag, std::string("*")}) {
    const Reply unchanged = get("/api/app/liasse").bearer(client()).header("If-None-Match", value).send();
    EXPECT_EQ(unchanged.status, 304) << describe(unchanged);
    EXPECT_EQ(unchanged.header("ETag"), tag);
  }
}

TEST_F(LongLists, HaveATagOfTheCallersView) {
  checks("Answers: validators, the tag covers what the caller sees");
  PORTAIL_REQUIRE(environment().filtered, "PORTAIL_CONTRACT_FILTERED_URL");
  const std::string privileged =
      token(fill("$RUN-long"), {{"permissions", R"(["PortailClients.Liasses.VoirPieceDerogee"])"}});
  const Reply all = get("/api/app/liasse").bearer(privileged).send(*environment().filtered);
  const Reply some = get("/api/app/liasse").bearer(client()).send(*environment().filtered);
  EXPECT_EQ(all.body, expected_list());
  EXPECT_EQ(some.body.find("Dérogé"), std::string::npos);
  EXPECT_NE(all.header("ETag"), some.header("ETag"));
}

TEST_F(LongLists, HaveAnotherTagAfterEachChange) {
  checks("Answers: validators, the tag covers what the caller sees");
  Reply last = list();
  const auto after_import = [&last](const std::string& document) {
    SCOPED_TRACE(document);
    import_or_fail("{" + document + "}");
    last = expect_changed(last);
  };
  after_import(R"("liasses":[)" + document_bundle(bundle_of(299, "Autre")) + "]");
  after_import(third_party("Longue", "Léon"));
  after_import(third_party("Longue", "Léa"));
  after_import(mail_object("Autre"));

  const Reply changed =
      put(fill("/api/app/objet-courrier/$36"), R"({"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"})")
          .bearer(admin())
          .send();
  EXPECT_EQ(changed.status, 200) << describe(changed);
  last = expect_changed(last);

  EXPECT_EQ(get(fill("/api/app/liasse/$RUN-long-1000")).bearer(client()).send().status, 200);
  expect_changed(last);
}

}  // namespace
}  // namespace portail::contract
