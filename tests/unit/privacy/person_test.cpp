#include "core/privacy/person.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/portal/consultation.hpp"
#include "core/portal/records/consultations.hpp"
#include "core/privacy/subject_pattern.hpp"
#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Author operator_author{.route = "portail person erase", .system_user = "ops", .correlation_id = "c-9"};

class Person : public testing::Test {
 protected:
  Person() { portal.import(small_document, {}, small_templates()); }

  PersonData read(std::string_view subject) {
    auto data = run_ready(read_person(portal.test.context, portal.memory, subject));
    EXPECT_TRUE(data);
    return std::move(*data);
  }
  std::string erase(std::string_view subject) {
    const auto pseudonym =
        run_ready(erase_person(portal.test.context, portal.memory, subject, read(subject), operator_author));
    EXPECT_TRUE(pseudonym);
    return *pseudonym;
  }
  void consult(std::string_view subject, std::string_view bundle, std::uint64_t deposits) {
    EXPECT_TRUE(run_ready(record_consultation(portal.test.context, portal.memory, subject, bundle, deposits)));
  }
  // A record that counts by itself.
  void put_record(std::uint64_t id, std::string_view members) {
    portal.put(audit_key({1, id}),
               R"({"time":"2026","action":"call",)" + std::string(members) + R"(,"previous":null})");
  }
  std::string record(std::uint64_t id) { return portal.everything()[audit_key({1, id})]; }
  std::string all_records() {
    std::string text;
    for (const auto& [key, value] : portal.everything(audit_prefix)) text += value + '\n';
    return text;
  }
  // The records that count.
  std::size_t trail_size() {
    return run_ready(reachable_audit_records(portal.test.context, portal.memory)).value().names.size();
  }

  Portal portal;
};

TEST_F(Person, HasWhatIsStoredAboutAUser) {
  consult("sub-c1", R"("L-1")", 1);
  put_record(1, R"("subject":"sub-c1")");
  EXPECT_EQ(person_document("sub-c1", "0123", read("sub-c1")), R"({"subject":"sub-c1",
"logPseudonym":"0123",
"tiers":[
{"numeroTiers":"T1","nomTiers":"Durand","prenomTiers":"Chloé","relations":["utilisateur"]},
{"numeroTiers":"T2","nomTiers":"Maçon","prenomTiers":"","relations":["utilisateur"]}
],
"liasses":[
)" + exported_bundles() + R"(
],
"managedBundles":[],
"consultations":[
{"liasse":"L-1","depots":1}
],
"droits":[],
"audit":[
{"time":"2026","action":"call","subject":"sub-c1","previous":null}
],
"otherKeys":[]})");
}

TEST_F(Person, HasNoNamesOfAManagersThirdParties) {
  const PersonData data = read("sub-m1");
  EXPECT_THAT(data.third_parties, ElementsAre(R"({"numeroTiers":"T1","relations":["gestionnaire"]})"));
  EXPECT_THAT(data.entities[1].elements, ElementsAre(R"("L-1")"));
  EXPECT_THAT(data.entities[0].elements, IsEmpty());
}

TEST_F(Person, HasGrantsToTheSubjectAndTheirRecord) {
  const PersonData data = read("sub-admin");
  EXPECT_THAT(data.grants,
              ElementsAre(R"({"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"sub-admin"})"));
  ASSERT_EQ(data.audit_records.size(), 1U);
  EXPECT_THAT(data.audit_records[0], testing::HasSubstr(R"("action":"grants")"));
}

TEST_F(Person, WhoIsUnknownHasNothing) {
  const PersonData data = read("sub-c");
  EXPECT_EQ(person_document("sub-c", "", data), R"({"subject":"sub-c",
"logPseudonym":null,
"tiers":[],
"liasses":[],
"managedBundles":[],
"consultations":[],
"droits":[],
"audit":[],
"otherKeys":[]})");
}

TEST_F(Person, IsErasedFromTheAuditWhichStaysConnected) {
  const std::size_t before = trail_size();
  const std::string pseudonym = erase("sub-admin");
  EXPECT_THAT(pseudonym, testing::MatchesRegex("erased-[0-9a-f]{16}"));
  const std::string records = all_records();
  EXPECT_FALSE(records.contains("sub-admin"));
  EXPECT_TRUE(records.contains(R"("utilisateur":")" + pseudonym + '"'));
  EXPECT_TRUE(records.contains(
      R"("action":"erasure","route":"portail person erase","subject":null,"client":null,"systemUser":"ops",)"
      R"("correlationId":"c-9","previous":null,"previousCall":null,"previousHash":null,"salt":")"));
  const Contents erased = portal.everything(audit_prefix);
  const auto grants =
      std::ranges::find_if(erased, [](const auto& each) { return each.second.contains(R"("action":"grants")"); });
  ASSERT_NE(grants, erased.end());
  EXPECT_TRUE(records.contains(R"(","pseudonym":")" + pseudonym + R"(","records":1,"consultations":0,"erased":{")" +
                               grants->first + R"(":")" + lower_hex(sha256(std::as_bytes(std::span(grants->second)))) +
                               R"("}})"));
  EXPECT_EQ(trail_size(), before + 1);
  EXPECT_THAT(read("sub-admin").audit_records, IsEmpty());
  EXPECT_EQ(read("sub-admin").grants.size(), 1U);  // an import wrote it
}

TEST_F(Person, IsErasedFromSubjectsGrantsAndQueriesOnly) {
  put_record(1, R"("subject":"é\"1","query":"subject=%C3%A9%221&action=call&subject=%c3%a9%22%31")");
  put_record(2, R"("subject":"é\"12","query":"subject=%C3%A9%2212&since=2026","id":"é\"1")");
  put_record(3, R"("subject":"x","query":"object=1&subject=%C3%A9%221")");
  put_record(4, R"("removed":[{"permission":"P","utilisateur":"é\"1"},{"permission":"P","role":"é\"1"}],"query":null)");
  put_record(5, R"("subject":"x","query":"Subject=%C3%A9%221&%73ubject=%C3%A9%221&x=a%20é\"1+b&é%221&y=é\"1-2")");
  const std::string untouched = record(2);
  const std::string pseudonym = erase("é\"1");
  const auto name = [&pseudonym](std::string text) {
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) text.replace(at, 1, pseudonym);
    return R"({"time":"2026","action":"call",)" + text + R"(,"previous":null})";
  };
  EXPECT_EQ(record(1), name(R"("subject":"@","query":"subject=@&action=call&subject=@")"));
  EXPECT_EQ(record(2), untouched);
  EXPECT_EQ(record(3), name(R"("subject":"x","query":"object=1&subject=@")"));
  EXPECT_EQ(record(4),
            name(R"("removed":[{"permission":"P","utilisateur":"@"},{"permission":"P","role":"é\"1"}],"query":null)"));
  EXPECT_EQ(record(5), name(R"("subject":"x","query":"Subject=@&%73ubject=@&x=a%20@+b&@&y=é\"1-2")"));
}

TEST_F(Person, IsNamedWhereItCannotBeErased) {
  put_record(1, R"("subject":"x","id":"y","query":"id=y")");
  put_record(2, R"("subject":"x","correlationId":"by y.")");  // part of another identifier
  put_record(3, R"("subject":"y x","correlationId":"of \ny, z")");
  put_record(4, R"("subject":"x","y":"x","status":200)");  // a name
  const std::string bundle = portal.everything()[bundle_key("L-1")];
  portal.put(bundle_key("y"), bundle);
  portal.put("config.other", R"({"a":"\u0079"})");
  portal.put(template_key(7, 0), "%PDF y");
  portal.put(template_key(7, 1), "%PDF yz 1:y y-1");
  portal.put(bundle_key("L-3"), with(bundle, "Prêt", "Prêt y-"));
  portal.put(bundle_key("L-4"), with(bundle, "Prêt", "Prêt (y)"));
  const std::vector<std::string> others{audit_key({1, 1}), audit_key({1, 3}), "config.other",
                                        bundle_key("L-4"), bundle_key("y"),   template_key(7, 0)};
  portal.put(std::string(import_lock_key), "0a\t0\t\"POST /manage/import by y, correlation id 1f\"");
  const Contents before = portal.everything();
  const PersonData data = read("y");
  EXPECT_EQ(data.other_keys, others);
  EXPECT_THAT(data.audit_keys, ElementsAre(audit_key({1, 1})));
  ASSERT_TRUE(data.import_lock);
  EXPECT_TRUE(run_ready(erase_person(portal.test.context, portal.memory, "y", data, operator_author)));
  EXPECT_EQ(read("y").other_keys, others);
  EXPECT_THAT(read("y").audit_keys, IsEmpty());
  EXPECT_EQ(portal.everything()[std::string(import_lock_key)], "");
  for (const auto& [key, value] : before) {
    if (key == audit_key({1, 1}) || key == import_lock_key) continue;
    EXPECT_EQ(portal.everything()[key], value) << key;
  }
}

// The import needs the value to renew its lock.
TEST_F(Person, TheLockOfARunningImportStays) {
  portal.test.clock.set({1'000});
  const std::string lock = "0a\t1001\t\"POST /manage/import by y, correlation id 1f\"";
  portal.put(std::string(import_lock_key), lock);
  const PersonData data = read("y");
  EXPECT_FALSE(data.import_lock);
  EXPECT_THAT(data.other_keys, ElementsAre(import_lock_key));
  portal.test.clock.set({1'001});
  EXPECT_EQ(read("y").import_lock, lock);
  EXPECT_THAT(read("y").other_keys, IsEmpty());
}

TEST(SubjectPattern, FindsWholeTokensInEachEncoding) {
  const SubjectPattern pattern("é|\"a b");
  for (const std::string_view text : {"é|\"a b", "%C3%A9%7c%22a+b", "%c3%a9|\\\"a%20b", "\\u00e9|\\\"a b",
                                      "x=é|\"a b&y", "\\té|\"a b\\n", "%20é|\"a b%20", "%41 é|\"a b"}) {
    EXPECT_TRUE(pattern.occurs_in(text)) << text;
  }
  for (const std::string_view text : {"é|\"a", "é|\"a bc", "é|\"a b-", "%41é|\"a b", "é|\"a b%2D", "é|\"a bé",
                                      ".é|\"a b", "É|\"a b", "é|\"A b", ""}) {
    EXPECT_FALSE(pattern.occurs_in(text)) << text;
  }
  EXPECT_TRUE(SubjectPattern("%41").occurs_in("x=%41"));
  EXPECT_TRUE(SubjectPattern("\U0001F600").occurs_in("\\ud83d\\ude00"));
  EXPECT_EQ(SubjectPattern("a").replaced("a a,%61 ab", "X"), "X X,X ab");
  EXPECT_EQ(SubjectPattern("a").replaced("ab", "X"), std::nullopt);
  EXPECT_TRUE(SubjectPattern("Zoé").occurs_in_key(consultation_key("Zoé", 12)));
  EXPECT_TRUE(
      SubjectPattern(std::string(200, 'z')).occurs_in_key(person_key(user_index_prefix, std::string(200, 'z'), 0)));
  EXPECT_FALSE(SubjectPattern("1").occurs_in_key(template_key(1, 1)));
  EXPECT_FALSE(SubjectPattern("a").occurs_in_key(consultation_key("a.b", 0)));
}

TEST_F(Person, TextThatLooksLikeAMemberIsKept) {
  put_record(1, R"("subject":"x","id":"\"subject\":\"y\"")");
  const std::string before = record(1);
  EXPECT_THAT(read("y").audit_records, IsEmpty());
  erase("y");
  EXPECT_EQ(record(1), before);
}

// An import that ends during the erasure writes its record again.
TEST_F(Person, AChangeOfARecordDuringTheErasureIsAFailure) {
  put_record(1, R"("subject":"y")");
  put_record(2, R"("subject":"y")");
  const PersonData data = read("y");
  const auto result = [&] {
    return run_ready(erase_person(portal.test.context, portal.memory, "y", data, operator_author));
  };
  put_record(1, R"("subject":"y","finished":"2026")");
  EXPECT_EQ(result().error(), Failure::unavailable);
  EXPECT_EQ(read("y").audit_records.size(), 2U);
  erase("y");
  EXPECT_THAT(read("y").audit_records, IsEmpty());
}

TEST_F(Person, LosesEachPartOfTheConsultations) {
  consult("sub-c1", R"("L-1")", 1);
  consult("sub-c2", R"("L-2")", 1);
  const std::string part_0 = portal.everything()[consultation_key("sub-c1", 0)];
  portal.put(consultation_key("sub-c1", 0), with_consultation_parts(part_0, 2));
  portal.put(consultation_key("sub-c1", 1), "\"L-2\"\t3\n\"L-1\"\t2\n");
  EXPECT_THAT(read("sub-c1").consultations,
              ElementsAre(R"({"liasse":"L-1","depots":2})", R"({"liasse":"L-2","depots":3})"));
  erase("sub-c1");
  EXPECT_EQ(portal.everything(consultation_prefix).size(), 1U);
  EXPECT_THAT(read("sub-c2").consultations, ElementsAre(R"({"liasse":"L-2","depots":1})"));
}

TEST_F(Person, LosesEachPartOfTheConsultationsAfterAnInterruption) {
  bool succeeded = false;
  int interrupted = 0;  // after a part was removed
  for (int changes = 0; !succeeded; ++changes) {
    ASSERT_LT(changes, 20);
    for (std::uint32_t part = 0; part < 12; ++part) {
      portal.put(consultation_key("sub-c1", part), part == 0 ? "12\n\"L-1\"\t2\n" : "\"L-2\"\t3\n");
    }
    TornStore store(portal.memory, changes);
    succeeded =
        run_ready(erase_person(portal.test.context, store, "sub-c1", read("sub-c1"), operator_author)).has_value();
    if (!succeeded && portal.everything(consultation_prefix).size() < 12) ++interrupted;
    erase("sub-c1");
    EXPECT_THAT(portal.everything(consultation_prefix), IsEmpty()) << changes;
  }
  EXPECT_EQ(interrupted, 11);
}

// As the removal of an earlier version could leave them.
TEST_F(Person, LosesPartsWithoutTheFirstOne) {
  portal.put(consultation_key("sub-c1", 2), "\"L-2\"\t3\n");
  EXPECT_THAT(read("sub-c1").consultations, ElementsAre(R"({"liasse":"L-2","depots":3})"));
  erase("sub-c1");
  EXPECT_THAT(portal.everything(consultation_prefix), IsEmpty());
}

TEST_F(Person, DamagedValuesAreAFailure) {
  portal.put(third_party_key("T1"), "x");
  EXPECT_EQ(run_ready(read_person(portal.test.context, portal.memory, "y")).error(), Failure::corrupt);
}

}  // namespace
}  // namespace portail
