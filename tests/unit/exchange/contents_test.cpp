#include "core/exchange/contents.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/test_context.hpp"
#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

TEST(Contents, AreCounted) {
  Portal portal;
  portal.import(small_document, {}, {{"modeles/rib.pdf", std::string(600'000, 'x')}});  // in three values
  const auto contents = run_ready(count_contents(portal.test.context, portal.memory));
  ASSERT_TRUE(contents);
  EXPECT_EQ(contents->of(Section::mail_objects), 2U);
  EXPECT_EQ(contents->template_files, 1U);
  EXPECT_EQ(contents->of(Section::third_parties), 2U);
  EXPECT_EQ(contents->of(Section::bundles), 2U);
  EXPECT_EQ(contents->of(Section::grants), 2U);
  EXPECT_EQ(contents->audit_records, 2U);  // the import, and that it changed grants
}

TEST(Contents, NameTheCodesOfSeveralMailObjects) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const auto shared = [&] {
    return run_ready(count_contents(portal.test.context, portal.memory)).value().shared_type_codes;
  };
  EXPECT_TRUE(shared().empty());
  portal.put("configuration", "1\ttrue\tRien\n2\ttrue\tRien\n3\ttrue\tRien\n4\ttrue\tRien\n5\ttrue\tRien\n");
  portal.put("catalogue.0", "5\t1:5\n1\t\"A\"\t\"\"\n2\t\"B\"\t\"\"\n3\t\"a\"\t\"\"\n4\t\"A\"\t\"\"\n5\t\"A\"\t\"\"\n");
  ASSERT_EQ(shared().size(), 1U);
  EXPECT_EQ(shared()[0].code, "\"A\"");
  EXPECT_EQ(shared()[0].ids, (std::vector<std::uint64_t>{1, 4, 5}));
  portal.put("catalogue.0", "3\t1:3\n1\t\"e\u0301\"\t\"\"\n2\t\"B\"\t\"\"\n3\t\"\u00e9\"\t\"\"\n");
  ASSERT_EQ(shared().size(), 1U);
  EXPECT_EQ(shared()[0].code, "\"e\u0301\"");
  EXPECT_EQ(shared()[0].ids, (std::vector<std::uint64_t>{1, 3}));
}

TEST(Contents, OfAnEmptyStoreAreEmpty) {
  Portal portal;
  const auto contents = run_ready(count_contents(portal.test.context, portal.memory));
  ASSERT_TRUE(contents);
  EXPECT_EQ(contents->of(Section::mail_objects) + contents->template_files + contents->of(Section::third_parties), 0U);
  EXPECT_EQ(contents->of(Section::bundles) + contents->of(Section::grants) + contents->audit_records, 0U);
}

TEST(Contents, OfADamagedCatalogueAreAFailure) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("catalogue.0", "two");
  const auto contents = run_ready(count_contents(portal.test.context, portal.memory));
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error(), Failure::corrupt);
}

TEST(Contents, OfADamagedBundleOrThirdPartyAreAFailureThatNamesIt) {
  constexpr std::string_view bundle = "liasse.=4C-1";
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const std::string intact = portal.value(bundle);
  std::string changed = intact;
  changed[changed.find("true") == std::string::npos ? changed.rfind("false") : changed.find("true")] = 'T';
  std::string other_digit = intact;
  char& digit = other_digit[other_digit.find_first_of("0123456789", other_digit.find('"'))];
  digit = digit == '1' ? '2' : '1';
  for (const std::string& value : {std::string(), std::string("whatever"), changed, other_digit, intact + "x\n"}) {
    portal.put(std::string(bundle), value);
    CollectingLog log;
    Context context{portal.test.clock, portal.test.random, log, portal.test.frames};
    const auto contents = run_ready(count_contents(context, portal.memory));
    ASSERT_FALSE(contents) << value;
    EXPECT_EQ(contents.error(), Failure::corrupt);
    EXPECT_EQ(log.lines, std::vector<std::string>{"a stored value is damaged: liasse.=4C-1"});
  }
  portal.put(std::string(bundle), intact);
  ASSERT_TRUE(run_ready(count_contents(portal.test.context, portal.memory)));
}

// Returns the parts of the catalogue.
Contents catalogue_of(Contents contents) {
  std::erase_if(contents, [](const auto& entry) { return !entry.first.starts_with("catalogue."); });
  return contents;
}

constexpr std::array lost_keys{
    "catalogue.0",          "configuration",         "modele.2.0", "tiers.=541", "liasse.=4C-1",
    "utilisateur.sub-c1.0", "gestionnaire.sub-m1.0", "droits"};

TEST(Contents, NameAValueThatWasLostAndAnImportWritesItAgain) {
  for (const std::string_view key : lost_keys) {
    Portal portal;
    portal.import(small_document, {}, small_templates());
    const Contents intact = portal.contents();
    portal.remove(key);
    CollectingLog log;
    Context context{portal.test.clock, portal.test.random, log, portal.test.frames};
    EXPECT_EQ(run_ready(count_contents(context, portal.memory)).error(), Failure::corrupt) << key;
    EXPECT_EQ(log.lines, std::vector<std::string>{"a stored value is missing: " + std::string(key) +
                                                  "; import the document again, or restore a backup"});
    EXPECT_EQ(lines_of(portal.import(small_document, {}, small_templates())), "") << key;
    EXPECT_TRUE(run_ready(count_contents(portal.test.context, portal.memory))) << key;
    EXPECT_EQ(portal.contents(), intact) << key;
  }
}

// Mail objects, with enough text for several parts of the catalogue.
std::string mail_objects(int first, int last) {
  std::string document = R"({"objetsCourrier":[)";
  for (int id = first; id <= last; ++id) {
    document += std::string(id > first ? "," : "") + R"({"id":)" + std::to_string(id) + R"(,"typeObjet":"T)" +
                std::to_string(id) + R"(","description":")" + std::string(100, 'd') +
                R"(","utilisablePourLiasse":true,"typeAffectation":"Rien"})";
  }
  return document + "]}";
}

TEST(Contents, NameALaterPartThatWasLost) {
  const std::string document = mail_objects(1, 3000);
  Portal portal;
  ASSERT_EQ(lines_of(portal.import(document)), "");
  const Contents intact = portal.contents();
  ASSERT_TRUE(intact.contains("catalogue.1"));
  portal.put("configuration",
             with(portal.everything().at("configuration"), "1500\ttrue\tRien", "1500\ttrue\tOptionnel"));
  const Contents changed = portal.contents();
  portal.remove("catalogue.1");
  CollectingLog log;
  Context context{portal.test.clock, portal.test.random, log, portal.test.frames};
  EXPECT_FALSE(run_ready(count_contents(context, portal.memory)));
  EXPECT_EQ(log.lines, std::vector<std::string>{
                           "a stored value is missing: catalogue.1; import the document again, or restore a backup"});
  EXPECT_EQ(lines_of(portal.import(document)), "");
  EXPECT_EQ(portal.contents(), changed) << "what the portal owns is kept";
}

TEST(Contents, AreNotReplacedByAPartOfThemWhereTheCatalogueWasLost) {
  for (const std::string& key : {catalogue_key(0), catalogue_key(1)}) {
    for (const bool has_configuration : {true, false}) {
      Portal portal;
      ASSERT_EQ(lines_of(portal.import(mail_objects(1, 3000))), "");
      const Contents intact = portal.contents();
      portal.remove(key);
      if (!has_configuration && key == catalogue_key(1)) portal.remove(configuration_key);
      const Contents lost = portal.contents();
      const std::string fault = "objetsCourrier: a stored value is missing: " + key +
                                "; import the whole document, and if mail objects were removed from it, with --prune "
                                "(over HTTP: prune=true)\n";
      for (const std::string& part : {mail_objects(3001, 3001), mail_objects(1501, 3000), mail_objects(1, 0)}) {
        EXPECT_EQ(lines_of(portal.import(part, {.allow_empty_sections = true})), fault);
        EXPECT_EQ(portal.contents(), lost);
      }
      EXPECT_EQ(lines_of(portal.import(R"({"tiers":[{"numeroTiers":"T","nomTiers":"","prenomTiers":"","utilisateurs":[],
"gestionnaires":[]}],"liasses":[)" + sample_bundle({.third_party = "T"}) +
                                       "]}")),
                "");
      EXPECT_EQ(portal.contents("catalogue."), catalogue_of(lost));
      EXPECT_FALSE(run_ready(count_contents(portal.test.context, portal.memory))) << "the loss is still named";
      EXPECT_EQ(lines_of(portal.import(mail_objects(1, 3000), {.prune = !has_configuration})), "");
      EXPECT_EQ(portal.contents("catalogue."), catalogue_of(intact));
      EXPECT_TRUE(run_ready(count_contents(portal.test.context, portal.memory)));
    }
  }
}

TEST(Contents, OfALostPartMayBeNamedByBundles) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.remove("catalogue.0");
  const std::string bundles = "{" + small_document.substr(small_document.find("\"tiers\""));
  EXPECT_EQ(lines_of(portal.import(bundles)), "");
  EXPECT_EQ(portal.value("catalogue.0"), "(absent)");
  const std::string other = R"({"objetsCourrier":[{"id":9,"typeObjet":"RIB","description":"",
"utilisablePourLiasse":false,"typeAffectation":"Rien"}]})";
  EXPECT_EQ(lines_of(portal.import(other, {.prune = true})),
            "objetsCourrier: pruning would remove 1, which the stored bundle \"L-1\" refers to\n"
            "objetsCourrier: pruning would remove 2, which the stored bundle \"L-1\" refers to\n");
  EXPECT_EQ(lines_of(portal.import(R"({"objetsCourrier":[],"liasses":[]})", {.prune = true})).substr(0, 36),
            "objetsCourrier: the section is empty");
}

TEST(Contents, NameAnObjectAndLinesThatWereLost) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const auto named = [&] {
    CollectingLog log;
    Context context{portal.test.clock, portal.test.random, log, portal.test.frames};
    EXPECT_FALSE(run_ready(count_contents(context, portal.memory)));
    return log.lines.empty() ? "" : log.lines.front();
  };
  portal.put("catalogue.0", "1\t1:1\n1\t\"CNI\"\t\"\"\n");
  EXPECT_EQ(named(), "a stored value is missing: mail object 2; import the document again, or restore a backup");
  portal.import(small_document, {}, small_templates());
  const std::string configuration = portal.everything().at("configuration");
  portal.put("configuration", with(configuration, "2\tfalse\tRien\n", ""));
  EXPECT_EQ(named(), "a stored value is missing: configuration; import the document again, or restore a backup");
  portal.import(small_document, {}, small_templates());
  EXPECT_TRUE(run_ready(count_contents(portal.test.context, portal.memory)));
}

// A later minor version writes them.
TEST(Contents, MissNoIndexOfUnknownRelations) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("tiers.=541",
             portal.value("tiers.=541") + "lecteur\t\"sub-reader\"\nutilisateur\t\"sub-later\"\tuntil 2030\nlecteur\n");
  EXPECT_TRUE(run_ready(count_contents(portal.test.context, portal.memory)));
}

// Its configurations precede its catalogue, and the records of its grants their value. An import of other sections does
// not complete the state.
TEST(Contents, MissNothingAfterAnInterruptedImport) {
  const std::string grants = "{" + small_document.substr(small_document.find("\"droits\""));
  for (const std::string& next : {std::string(R"({"liasses":[]})"), std::string(R"({"objetsCourrier":[]})"), grants}) {
    for (int changes = 0;; ++changes) {
      Portal portal;
      const auto is_complete = [&] {
        const auto contents = run_ready(count_contents(portal.test.context, portal.memory));
        EXPECT_TRUE(contents) << changes << next;
        return contents && contents->is_complete;
      };
      TornStore torn(portal.memory, changes);
      TestInput input{small_document, small_templates()};
      const bool was_completed = portal.import(input, {}, &torn).has_value();
      const bool has_begun = portal.everything().contains("configuration");
      EXPECT_EQ(is_complete(), was_completed || !has_begun);
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(lines_of(portal.import(next, {.allow_empty_sections = true})), "");
        EXPECT_EQ(is_complete(), was_completed || !has_begun);
      }
      portal.import(small_document, {}, small_templates());
      EXPECT_TRUE(is_complete());
      if (was_completed) break;
    }
  }
}

}  // namespace
}  // namespace portail
