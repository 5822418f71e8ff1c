#include "core/exchange/contents.hpp"

#include <gtest/gtest.h>

#include "tests/support/collecting_log.hpp"
#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

TEST(Contents, AreCounted) {
  Portal portal;
  portal.import(small_document, {}, {{"modeles/rib.pdf", std::string(600'000, 'x')}});  // in three values
  const auto contents = run_ready(count_contents(portal.test.context, portal.memory));
  ASSERT_TRUE(contents);
  EXPECT_EQ(contents->mail_objects, 2U);
  EXPECT_EQ(contents->template_files, 1U);
  EXPECT_EQ(contents->third_parties, 2U);
  EXPECT_EQ(contents->bundles, 2U);
  EXPECT_EQ(contents->grants, 2U);
  EXPECT_EQ(contents->audit_records, 2U);  // the import, and that it changed grants
}

TEST(Contents, NameTheCodesOfSeveralMailObjects) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  const auto shared = [&] {
    return run_ready(count_contents(portal.test.context, portal.memory)).value().shared_type_codes;
  };
  EXPECT_TRUE(shared().empty());
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
  EXPECT_EQ(contents->mail_objects + contents->template_files + contents->third_parties, 0U);
  EXPECT_EQ(contents->bundles + contents->grants + contents->audit_records, 0U);
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

}  // namespace
}  // namespace portail
