// docs/reference/contract.md, "Answers: deposeeDepuisDerniereConsultation". Each case has a bundle of the third party
// T4 to itself.
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/portal_document.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

std::string reader() { return token(fill("$RUN-reader")); }
std::string second_reader() { return token(fill("$RUN-second-reader")); }
std::string reading_manager() {
  return token(fill("$RUN-reading-manager"), {{"permissions", R"("PortailClients.Dashboard.Host")"}});
}

std::string path_of(std::string_view name) { return "/api/app/liasse/" + fill(name); }

// Returns "true" or "false" as in the list; reading a list records no consultation.
std::string flag_in_list(std::string_view name, const std::string& caller, std::string_view list = "/api/app/liasse") {
  const picojson::value bundles = parsed(get(list).bearer(caller).send());
  if (!bundles.is<picojson::array>()) return "no list";
  for (const picojson::value& each : bundles.get<picojson::array>())
    if (at(each, {"id"}).to_str() == fill(name)) return at(each, {"deposeeDepuisDerniereConsultation"}).to_str();
  return "not in the list";
}

std::string read_flag(std::string_view name, const std::string& caller) {
  const Reply reply = get(path_of(name)).bearer(caller).send();
  EXPECT_EQ(reply.status, 200) << describe(reply);
  return at(parsed(reply), {"deposeeDepuisDerniereConsultation"}).to_str();
}

// Imports the bundle again with these pieces.
void deposit(std::string_view name, const std::string& pieces) {
  const CaseBundle bundle{.id = std::string(name), .third_party = "$RUN-T4", .pieces = pieces};
  import_or_fail(R"({"liasses":[)" + document_bundle(bundle) + "]}");
}

TEST(Consultations, ReadingByIdRecords) {
  checks("Answers: deposeeDepuisDerniereConsultation, read by id");
  EXPECT_EQ(flag_in_list("$RUN-lue", reader()), "true") << "never read";
  EXPECT_EQ(read_flag("$RUN-lue", reader()), "true") << "recorded after the answer is computed";
  EXPECT_EQ(flag_in_list("$RUN-lue", reader()), "false");
  EXPECT_EQ(read_flag("$RUN-lue", reader()), "false");
  EXPECT_EQ(flag_in_list("$RUN-inchangee", reader()), "true") << "of that bundle only";
}

TEST(Consultations, EachCallerHasTheirOwn) {
  checks("Answers: deposeeDepuisDerniereConsultation, each caller");
  constexpr std::string_view dashboard = "/api/app/liasse/dashboard-list";
  EXPECT_EQ(read_flag("$RUN-gestion", reader()), "true");
  EXPECT_EQ(flag_in_list("$RUN-gestion", reader()), "false");
  EXPECT_EQ(flag_in_list("$RUN-gestion", second_reader()), "true");
  EXPECT_EQ(flag_in_list("$RUN-gestion", reading_manager(), dashboard), "true");
  EXPECT_EQ(read_flag("$RUN-gestion", reading_manager()), "true");
  EXPECT_EQ(flag_in_list("$RUN-gestion", reading_manager(), dashboard), "false");
  EXPECT_EQ(flag_in_list("$RUN-gestion", second_reader()), "true");
}

TEST(Consultations, HeadNotModifiedAndListsRecordNothing) {
  checks("Answers: deposeeDepuisDerniereConsultation, HEAD, 304 and lists");
  EXPECT_EQ(head(path_of("$RUN-tete")).bearer(reader()).send().status, 200);
  EXPECT_EQ(flag_in_list("$RUN-tete", reader()), "true") << "after HEAD";
  EXPECT_EQ(get(path_of("$RUN-tete")).bearer(reader()).header("If-None-Match", "*").send().status, 304);
  EXPECT_EQ(flag_in_list("$RUN-tete", reader()), "true") << "after 304";
  const std::string tag = head(path_of("$RUN-tete")).bearer(reader()).send().header("ETag");
  EXPECT_EQ(get(path_of("$RUN-tete")).bearer(reader()).header("If-None-Match", tag).send().status, 304);
  EXPECT_EQ(flag_in_list("$RUN-listes", reader()), "true");
  EXPECT_EQ(flag_in_list("$RUN-listes", reader()), "true") << "after a list";
  EXPECT_EQ(get(path_of("$RUN-tete")).bearer(token(fill("$RUN-client"))).send().status, 403);
  EXPECT_EQ(flag_in_list("$RUN-tete", reader()), "true");
}

TEST(Consultations, EachDepositCountsOnce) {
  checks("Answers: deposeeDepuisDerniereConsultation, deposits");
  constexpr std::string_view name = "$RUN-croissante";
  const auto piece = [](const char* id, const char* date) {
    return std::string(R"({"id":")") + id + R"(","objetCourrier":$00,"statut":"Déposé","motif":null,"dateDepot":)" +
           date + "}";
  };
  const std::string first = piece("$u44", R"("2024-01-01T09:00:00+01:00")");
  EXPECT_EQ(read_flag(name, reader()), "true");
  EXPECT_EQ(read_flag(name, reader()), "false");

  deposit(name, first);  // unchanged
  EXPECT_EQ(flag_in_list(name, reader()), "false") << "the same document again";
  deposit(name, piece("$u44", R"("2001-01-01T09:00:00+01:00")"));  // changed to an earlier date
  EXPECT_EQ(flag_in_list(name, reader()), "true") << "no date is compared";
  EXPECT_EQ(read_flag(name, reader()), "true");
  EXPECT_EQ(flag_in_list(name, reader()), "false");

  const std::string changed = piece("$u44", R"("2001-01-01T09:00:00+01:00")");
  deposit(name, changed + "," + R"({"id":"$u50","objetCourrier":$02,"statut":"Attendu","motif":null})");
  EXPECT_EQ(flag_in_list(name, reader()), "false") << "a piece without a deposit";
  deposit(name, changed + "," + piece("$u50", R"("2024-05-01T09:00:00+02:00")"));
  EXPECT_EQ(flag_in_list(name, reader()), "true") << "a dateDepot that appears";
  EXPECT_EQ(read_flag(name, reader()), "true");
  EXPECT_EQ(flag_in_list(name, reader()), "false");
  EXPECT_EQ(flag_in_list(name, second_reader()), "true") << "never read by this caller";
}

TEST(Consultations, ABundleThatDoesNotChange) {
  checks("Answers: deposeeDepuisDerniereConsultation, deposits");
  EXPECT_EQ(flag_in_list("$RUN-vide", token(fill("$RUN-client"))), "false") << "nothing was ever deposited";
  EXPECT_EQ(flag_in_list("$RUN-inchangee", second_reader()), "true");
}

TEST(Consultations, ADerogatedPieceCounts) {
  checks("Answers: deposeeDepuisDerniereConsultation, a derogated piece");
  constexpr std::string_view name = "$RUN-derogee";
  EXPECT_EQ(read_flag(name, reader()), "false");
  deposit(
      name,
      R"({"id":"$u45","objetCourrier":$00,"statut":"Attendu","motif":null},)"
      R"({"id":"$u65","objetCourrier":$02,"statut":"Dérogé","motif":null,"dateDepot":"2024-01-01T09:00:00+01:00"})");
  EXPECT_EQ(read_flag(name, reader()), "true");
  EXPECT_EQ(read_flag(name, reader()), "false");
}

}  // namespace
}  // namespace portail::contract
