// Refuses bundles whose answers would be too large (docs/how-to/import.md, "Faults"), in any order of their texts.
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

constexpr std::string_view one_third_party =
    R"("tiers":[{"numeroTiers":"T1","nomTiers":"N","prenomTiers":"P","utilisateurs":["sub"],"gestionnaires":[]}])";
constexpr std::string_view short_object =
    R"({"id":2,"typeObjet":"COURT","description":"D","utilisablePourLiasse":true,"typeAffectation":"Rien"})";

std::string described_object(std::size_t description, std::string_view type = "CNI") {
  return R"({"id":1,"typeObjet":")" + std::string(type) + R"(","description":")" + std::string(description, 'd') +
         R"(","utilisablePourLiasse":true,"typeAffectation":"Rien"})";
}

std::string bundle_of(std::string_view id, std::size_t pieces, std::string_view reason = "") {
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::string number = std::to_string(1'000'000 + i);
    text += (i == 0 ? "" : ",") + (R"({"id":"3f2504e0-4f89-41d3-9a)" + std::string(id)) + "-00000" + number +
            R"(","objetCourrier":1,"statut":"Attendu","motif":")" + std::string(reason) + R"("})";
  }
  return sample_bundle({.id = std::string(id), .pieces = text});
}

std::string document_of(const std::string& mail_objects, const std::string& bundles) {
  return "{" + std::string(one_third_party) + R"(,"objetsCourrier":[)" + mail_objects + R"(],"liasses":[)" + bundles +
         "]}";
}

std::string refusal_of(Portal& portal, std::string_view text, const ImportOptions& options = {}) {
  std::string lines;
  for (const std::string& line : portal.import(text, options).faults) lines += line + '\n';
  return lines;
}
std::string refusal_of(std::string_view text) {
  Portal portal;
  std::string lines = refusal_of(portal, text);
  EXPECT_EQ(portal.contents().empty(), !lines.empty());
  return lines;
}

constexpr std::string_view second_refused =
    "liasses[1]: too large: its answer would exceed 1 MiB (with the texts of its mail objects)\n";

TEST(AnswerSizes, RepeatTheTextsOfMailObjectsForEachPiece) {
  EXPECT_EQ(refusal_of(document_of(described_object(60'000), bundle_of("10", 1) + "," + bundle_of("11", 17))), "");
  EXPECT_EQ(refusal_of(document_of(described_object(60'000), bundle_of("10", 1) + "," + bundle_of("11", 18))),
            second_refused);
}

TEST(AnswerSizes, CountTypesAndReasonsTwice) {
  const std::string type(60'000, 't');
  EXPECT_EQ(refusal_of(document_of(described_object(1, type), bundle_of("10", 1) + "," + bundle_of("11", 8))), "");
  EXPECT_EQ(refusal_of(document_of(described_object(1, type), bundle_of("10", 1) + "," + bundle_of("11", 9))),
            second_refused);
  const std::string reason(1'000, 'r');
  EXPECT_EQ(refusal_of(document_of(described_object(3'000), bundle_of("10", 1) + "," + bundle_of("11", 190, reason))),
            "");
  EXPECT_EQ(refusal_of(document_of(described_object(3'000), bundle_of("10", 1) + "," + bundle_of("11", 200, reason))),
            second_refused);
}

TEST(AnswerSizes, CountTextsThatComeLaterOrAreStored) {
  const std::string refused = bundle_of("10", 1) + "," + bundle_of("11", 18);
  EXPECT_EQ(refusal_of(R"({"liasses":[)" + refused + R"(],"objetsCourrier":[)" + described_object(60'000) + "]," +
                       std::string(one_third_party) + "}"),
            second_refused);
  Portal portal;
  EXPECT_EQ(refusal_of(portal, document_of(described_object(60'000), "")), "");
  EXPECT_EQ(refusal_of(portal, R"({"liasses":[)" + refused + "]}"), second_refused);
  EXPECT_EQ(refusal_of(portal, document_of(described_object(50'000), refused)), "")
      << "the document's texts count, not the stored";
}

TEST(AnswerSizes, KeepMailObjectsFromOutgrowingStoredBundles) {
  Portal portal;
  EXPECT_EQ(
      refusal_of(portal, document_of(described_object(100) + "," + std::string(short_object), bundle_of("10", 18))),
      "");
  const Contents before = portal.contents();
  const std::string longer = R"({"objetsCourrier":[)" + described_object(60'000) + "]";
  EXPECT_EQ(refusal_of(portal, longer + "}"),
            "objetsCourrier: the stored bundle \"10\" would be too large: its answer would exceed 1 MiB "
            "(with the texts of its mail objects)\n");
  EXPECT_EQ(portal.contents(), before);
  EXPECT_EQ(refusal_of(portal, longer + R"(,"liasses":[)" + bundle_of("10", 17) + "]}"), "") << "another bundle now";
  EXPECT_EQ(
      refusal_of(portal,
                 R"({"objetsCourrier":[)" + described_object(65'000) + R"(],"liasses":[)" + bundle_of("11", 1) + "]}",
                 {.prune = true}),
      "")
      << "the stored bundle goes";
}

// The store was filled by a version without the limit: the bundle is too large already, through an unchanged object.
TEST(AnswerSizes, IgnoreAStoredBundleWhoseTextsDoNotGrow) {
  Portal portal;
  Portal with_long_text;
  const std::string second(short_object);
  EXPECT_EQ(refusal_of(portal, document_of(described_object(100) + "," + second, bundle_of("10", 18))), "");
  EXPECT_EQ(refusal_of(with_long_text, document_of(described_object(60'000) + "," + second, "")), "");
  for (const auto& [key, value] : with_long_text.contents()) {
    if (key.starts_with("catalogue.")) portal.put(key, value);
  }
  const std::string longer_second =
      R"({"id":2,"typeObjet":"COURT","description":"Plus long","utilisablePourLiasse":true,"typeAffectation":"Rien"})";
  EXPECT_EQ(refusal_of(portal, R"({"objetsCourrier":[)" + described_object(60'000) + "," + longer_second + "]}"), "");
}

}  // namespace
}  // namespace portail
