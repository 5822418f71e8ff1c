#include "core/exchange/contents.hpp"

#include <gtest/gtest.h>

#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

TEST(Contents, AreCounted) {
  Portal portal;
  portal.import(small_document, {}, {{"modeles/rib.pdf", std::string(600'000, 'x')}});  // in three values
  portal.put("liasse.=4C-3", "whatever it holds");
  const auto contents = run_ready(count_contents(portal.test.context, portal.memory));
  ASSERT_TRUE(contents);
  EXPECT_EQ(contents->mail_objects, 2U);
  EXPECT_EQ(contents->template_files, 1U);
  EXPECT_EQ(contents->third_parties, 2U);
  EXPECT_EQ(contents->bundles, 3U);
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

}  // namespace
}  // namespace portail
