#include "core/api/mail_object_selection.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

struct ObjectText {
  std::uint64_t id;
  std::string_view type;
  std::string_view description = "";
};

// The selected ids, in order.
std::vector<std::uint64_t> ids(const std::vector<ObjectText>& inputs, std::string_view sorting,
                               std::string_view filter = "") {
  std::vector<MailObject> objects;
  std::vector<std::string> texts;
  texts.reserve(2 * inputs.size());
  for (const ObjectText& each : inputs) {
    texts.push_back(stored_string(each.type));
    texts.push_back(stored_string(each.description));
    objects.push_back(
        {.id = each.id, .type = texts.end()[-2], .description = texts.back(), .template_file = std::nullopt});
  }
  const std::vector<std::string> parts = encode_catalogue(objects);
  Catalogue catalogue;
  for (std::size_t number = 0; number < parts.size(); ++number) {
    EXPECT_TRUE(catalogue.add_part(number, parts[number]).has_value());
  }
  const auto keys = read_sorting(sorting);
  EXPECT_TRUE(keys.has_value()) << sorting;
  const auto selected = select(catalogue, Configurations{}, filter, keys.value_or(std::vector<SortKey>{}));
  EXPECT_TRUE(selected.has_value());
  std::vector<std::uint64_t> found;
  if (selected) {
    for (const auto& [key, object] : *selected) found.push_back(object.id);
  }
  return found;
}

using Ids = std::vector<std::uint64_t>;

TEST(Sorting, ComparesBytes) {
  const std::vector<ObjectText> objects{{1, "a\x01"}, {2, "a"},         {3, {"a\0", 2}},
                                        {4, "ab"},    {5, {"a\0b", 3}}, {6, "a\x02"}};
  EXPECT_EQ(ids(objects, "typeObjet"), (Ids{2, 3, 5, 1, 6, 4}));
  EXPECT_EQ(ids(objects, "typeObjet desc"), (Ids{4, 6, 1, 5, 3, 2}));
}

TEST(Sorting, KeepsTheOrderOfTheCatalogueForEqualElements) {
  const std::vector<ObjectText> objects{{1, "b", "x"}, {2, "a", "x"}, {3, "b", "x"}, {4, "a", "y"}, {90, "a", "x"}};
  EXPECT_EQ(ids(objects, ""), (Ids{1, 2, 3, 4, 90}));
  EXPECT_EQ(ids(objects, "typeObjet"), (Ids{2, 4, 90, 1, 3}));
  EXPECT_EQ(ids(objects, "typeObjet desc"), (Ids{1, 3, 2, 4, 90}));
  EXPECT_EQ(ids(objects, "typeObjet desc,description desc"), (Ids{1, 3, 4, 2, 90}));
  EXPECT_EQ(ids(objects, "id desc"), (Ids{90, 4, 3, 2, 1})) << "as numbers";
}

TEST(Sorting, WithAnUnknownFieldOrDirectionIsInvalid) {
  for (const std::string_view wrong :
       {",", "id,", ",id", "id up", "id asc asc", "identifiant", "i", "id\tasc", "typeObjet.Length"}) {
    EXPECT_FALSE(read_sorting(wrong).has_value()) << wrong;
  }
  for (const std::string_view none : {"", "  "}) EXPECT_TRUE(read_sorting(none).value().empty());
}

TEST(Sorting, NamesEachFieldOnce) {
  const auto keys = read_sorting(" ID DESC , typeobjet,id asc").value();
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(sort_fields.at(keys[0].field), "id");
  EXPECT_TRUE(keys[0].descending);
  EXPECT_EQ(sort_fields.at(keys[1].field), "typeObjet");
  EXPECT_FALSE(keys[1].descending);
}

TEST(Filter, FindsFrenchLettersOfEitherCase) {
  const std::vector<ObjectText> objects{
      {1, "ÉTÉ", "Œuvre"}, {2, "x", "été à ×"}, {3, "ete", "oeuvre ÷"}, {4, "a\"b", ""}, {5, "L'HAŸ", "Louÿs"}};
  EXPECT_EQ(ids(objects, "", "Été"), (Ids{1, 2}));
  EXPECT_EQ(ids(objects, "", "haÿ"), (Ids{5}));
  EXPECT_EQ(ids(objects, "", "LOUŸS"), (Ids{5}));
  EXPECT_EQ(ids(objects, "", "œUVRE"), (Ids{1}));
  EXPECT_EQ(ids(objects, "", "À"), (Ids{2}));
  EXPECT_EQ(ids(objects, "", "×"), (Ids{2})) << "no letter: ÷ is not its small form";
  EXPECT_EQ(ids(objects, "", "A\"B"), (Ids{4}));
  EXPECT_EQ(ids(objects, "", "\\\""), Ids{}) << "the text, not its JSON";
}

TEST(Filter, IgnoresUnicodeComposition) {
  const std::vector<ObjectText> objects{
      {1, "PIE\u0300CE", "Prêt d’été"}, {2, "PI\u00c8CE", ""}, {3, "PIECE", "Pre\u0302t"}};
  EXPECT_EQ(ids(objects, "", "pi\u00e8ce"), (Ids{1, 2}));
  EXPECT_EQ(ids(objects, "", "pie\u0300ce"), (Ids{1, 2}));
  EXPECT_EQ(ids(objects, "", "PRE\u0302T"), (Ids{1, 3}));
  EXPECT_EQ(ids(objects, "", "e\u0301te\u0301"), (Ids{1}));
  EXPECT_EQ(ids(objects, "", "piece"), (Ids{3})) << "an accent counts, composed or not";
  EXPECT_EQ(ids(objects, "", "pie"), (Ids{3}));
}

}  // namespace
}  // namespace portail
