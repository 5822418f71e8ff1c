#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/portal/records/bundle.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/portal/records/consultations.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/records/person_index.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

TEST(StoredString, ThereAndBack) {
  const std::string text = "Prêt \"A\"\\\t\n\x01\x1f";
  EXPECT_EQ(stored_string(text), "\"Prêt \\\"A\\\"\\\\\\t\\n\\u0001\\u001f\"");
  EXPECT_EQ(unquoted(stored_string(text)), text);
  EXPECT_EQ(unquoted("\"cut short\\\""), "cut short\\");
}

TEST(CatalogueRecord, IsReadableText) {
  const std::vector<MailObject> objects{{.id = 1,
                                         .type = "\"CNI\"",
                                         .description = "\"Carte\"",
                                         .template_file = TemplateFile{"\"cni.pdf\"", "application/pdf", 12, "00ff"}},
                                        {.id = 7, .type = "\"RIB\"", .description = "\"Relevé\"", .template_file = {}}};
  const auto parts = encode_catalogue(objects);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0],
            "2\t1:2\n1\t\"CNI\"\t\"Carte\"\t\"cni.pdf\"\tapplication/pdf\t12\t00ff\n7\t\"RIB\"\t\"Relevé\"\n");

  Catalogue catalogue;
  ASSERT_TRUE(catalogue.add_part(0, parts[0]));
  const MailObject first = catalogue.find(1).value().value();
  EXPECT_EQ(first.type, "\"CNI\"");
  EXPECT_EQ(first.template_file.value().size, 12U);
  EXPECT_EQ(first.template_file.value().hash, "00ff");
  EXPECT_FALSE(catalogue.find(7).value().value().template_file);
  EXPECT_FALSE(catalogue.find(2).value());
}

TEST(CatalogueRecord, IsSplitIntoPartsThatTheSummaryFinds) {
  const std::string description = stored_string(std::string(1000, 'd'));
  std::vector<MailObject> objects;
  for (std::uint64_t id = 1; id <= 1000; ++id)
    objects.push_back({.id = 10 * id, .type = "\"T\"", .description = description, .template_file = {}});
  const auto parts = encode_catalogue(objects);
  ASSERT_EQ(parts.size(), 8U);
  const CatalogueSummary summary = read_catalogue_summary(parts[0]).value();
  EXPECT_EQ(summary.total, 1000U);
  ASSERT_EQ(summary.parts.size(), parts.size());
  std::uint64_t count = 0;
  for (std::size_t number = 0; number < parts.size(); ++number) {
    EXPECT_LE(parts[number].size(), max_value_size);
    Catalogue catalogue;
    ASSERT_TRUE(catalogue.add_part(number, parts[number]));
    EXPECT_EQ(catalogue.size(), summary.parts[number].count);
    EXPECT_EQ(summary.part_of(catalogue.at(0).value().id), number);
    EXPECT_EQ(summary.part_of(catalogue.at(catalogue.size() - 1).value().id), number);
    count += catalogue.size();
  }
  EXPECT_EQ(count, 1000U);
}

TEST(CatalogueRecord, AnEmptyCatalogueIsOnePart) {
  EXPECT_EQ(encode_catalogue({}), std::vector<std::string>{"0\n"});
  EXPECT_EQ(read_catalogue_summary("0\n").value().total, 0U);
}

TEST(CatalogueRecord, DamageIsDetected) {
  for (const std::string_view head : {"many\t1:1\n", "1\tx:1\n", "1\t1:x\n", "1\t1\n"}) {
    const auto summary = read_catalogue_summary(head);
    ASSERT_FALSE(summary) << head;
    EXPECT_EQ(summary.error(), Failure::corrupt) << head;
  }
  Catalogue catalogue;
  EXPECT_EQ(catalogue.add_part(1, "x\t\"CNI\"\n").error(), Failure::corrupt);
  EXPECT_EQ(catalogue.add_part(1, "1\t\"CNI\"\t\"Carte nat"), std::unexpected(Failure::corrupt)) << "cut short";
}

TEST(CatalogueRecord, LaterFieldsAreIgnored) {
  Catalogue catalogue;
  ASSERT_TRUE(catalogue.add_part(1,
                                 "1\t\"CNI\"\t\"Carte\"\t-\t-\t-\t-\tlater\n"
                                 "2\t\"RIB\"\t\"Relevé\"\t\"r.pdf\"\tapplication/pdf\t3\tab\tlater\n"));
  EXPECT_EQ(catalogue.at(0).value().description, "\"Carte\"");
  EXPECT_FALSE(catalogue.at(0).value().template_file);
  EXPECT_EQ(catalogue.at(1).value().template_file.value().hash, "ab");
}

TEST(ConfigurationRecord, ThereAndBack) {
  auto configurations = Configurations::parse("1\ttrue\tObligatoire\n3\tfalse\tRien\n").value();
  EXPECT_EQ(configurations.of(1), (Configuration{true, Assignment::mandatory}));
  EXPECT_EQ(configurations.of(2), (Configuration{false, Assignment::none}));
  EXPECT_FALSE(configurations.has(2));
  configurations.set(2, {true, Assignment::optional});
  configurations.set(3, {true, Assignment::none});
  configurations.remove(1);
  EXPECT_EQ(configurations.encode(), "2\ttrue\tOptionnel\n3\ttrue\tRien\n");
}

TEST(ConfigurationRecord, DamageIsDetected) {
  for (const std::string_view text : {"1\tyes\tRien\n", "1\ttrue\tRien", "1\ttrue\tRienX\n", "1\ttrue\tRien\tlater",
                                      "x\ttrue\tRien\n", "1\ttrue\n", "018446744073709551615\ttrue\tRien\n"}) {
    const auto configurations = Configurations::parse(text);
    ASSERT_FALSE(configurations) << text;
    EXPECT_EQ(configurations.error(), Failure::corrupt) << text;
  }
}

TEST(ConfigurationRecord, LaterFieldsAreKept) {
  auto configurations =
      Configurations::parse(
          "1\ttrue\tRien\tone\n2\ttrue\tRien\n3\tfalse\tOptionnel\tthree\tmore\n4\ttrue\tRien\tfour\n")
          .value();
  EXPECT_EQ(configurations.of(3), (Configuration{false, Assignment::optional}));
  configurations.set(3, {true, Assignment::mandatory});
  configurations.set(5, {true, Assignment::none});
  configurations.remove(1);
  EXPECT_EQ(configurations.encode(),
            "2\ttrue\tRien\n3\ttrue\tObligatoire\tthree\tmore\n4\ttrue\tRien\tfour\n5\ttrue\tRien\n");
}

const Bundle sample{.revision = {},
                    .deposits = 2,
                    .instant = "1705311000.25",
                    .id = "\"L-1\"",
                    .name = "\"Prêt\"",
                    .creation_date = "2024-01-15T10:30:00.25+01:00",
                    .third_party = "\"T1\"",
                    .loan = "\"P-1\"",
                    .amount = "150000.00",
                    .put_in_place = "true",
                    .piece_lines = {}};

TEST(BundleRecord, ThereAndBack) {
  const std::array pieces{
      ExpectedPiece{"3f2504e0-4f89-41d3-9a0c-0305e82c3301", "1", "\"Déposé\"", "null", "2024-02-01T09:00:00+01:00"},
      ExpectedPiece{"3f2504e0-4f89-41d3-9a0c-0305e82c3302", "7", "\"Attendu\"", "\"flou\"", "-"}};
  std::string lines;
  for (const ExpectedPiece& piece : pieces) {
    append_fields(lines, piece);
    lines += '\n';
  }
  Bundle with_pieces = sample;
  with_pieces.piece_lines = lines;
  const std::string text = encode_bundle(with_pieces);
  EXPECT_EQ(text.substr(32),
            "\t2\t1705311000.25\n"
            "\"L-1\"\t\"Prêt\"\t2024-01-15T10:30:00.25+01:00\t\"T1\"\t\"P-1\"\t150000.00\ttrue\n"
            "3f2504e0-4f89-41d3-9a0c-0305e82c3301\t1\t\"Déposé\"\tnull\t2024-02-01T09:00:00+01:00\n"
            "3f2504e0-4f89-41d3-9a0c-0305e82c3302\t7\t\"Attendu\"\t\"flou\"\t-\n");
  const Bundle bundle = read_bundle(text).value();
  EXPECT_EQ(bundle.revision.size(), 32U);
  EXPECT_EQ(bundle.deposits, 2U);
  EXPECT_EQ(bundle.third_party, "\"T1\"");
  EXPECT_EQ(bundle.amount, "150000.00");
  EXPECT_EQ(bundle.put_in_place, "true");
  EXPECT_EQ(encode_bundle(bundle), text);
  Pieces read(bundle);
  EXPECT_EQ(read.next().value().value().deposit, "2024-02-01T09:00:00+01:00");
  const ExpectedPiece second = read.next().value().value();
  EXPECT_EQ(second.mail_object_id, 7U);
  EXPECT_EQ(second.reason, "\"flou\"");
  EXPECT_FALSE(second.has_deposit());
  EXPECT_FALSE(read.next().value());
}

TEST(BundleRecord, WithoutPieces) {
  const std::string text = encode_bundle(sample);
  const Bundle bundle = read_bundle(text).value();
  EXPECT_FALSE(Pieces(bundle).next().value());
}

TEST(BundleRecord, LaterFieldsAreIgnored) {
  const Bundle bundle = read_bundle(
                            "hash\t2\t1705311000\tlater\n"
                            "\"L-1\"\t\"Prêt\"\t2024-01-15\t\"T1\"\t\"P-1\"\t1\ttrue\tlater\n"
                            "3f2504e0-4f89-41d3-9a0c-0305e82c3301\t1\t\"Déposé\"\tnull\t-\tlater\n")
                            .value();
  EXPECT_EQ(bundle.instant, "1705311000");
  EXPECT_EQ(bundle.put_in_place, "true");
  Pieces pieces(bundle);
  EXPECT_EQ(pieces.next().value().value().mail_object_id, 1U);
  EXPECT_FALSE(pieces.next().value());
}

TEST(BundleRecord, DamageIsDetected) {
  EXPECT_EQ(read_bundle("").error(), Failure::corrupt);
  EXPECT_EQ(read_bundle("aa\tx\t1\n").error(), Failure::corrupt);
  for (const std::string_view fields :
       {"\"L-1\"\t\"D\"\t2024-01-15\t\"T1\"\t\"P-1\"\t1\tTRUE\n", "\"L-1\"\t\"D\"\t2024-01-15\t\"T1\"\t\"P-1\"\t1\n",
        "\"L-1\"\t\t2024-01-15\t\"T1\"\t\"P-1\"\t1\ttrue\n"}) {
    EXPECT_FALSE(read_bundle("aa\t1\t1\n" + std::string(fields))) << fields;
  }
  Bundle damaged = sample;
  for (const std::string_view line :
       {"no-piece\n", "a\tx\t\"s\"\tnull\t-\n", "a\t01\t\"s\"\tnull\t-\n", "a\t1\t\"s\"\tnull\n"}) {
    damaged.piece_lines = line;
    EXPECT_EQ(Pieces(damaged).next().error(), Failure::corrupt) << line;
  }
}

TEST(BundleRecord, NewestInstantFirstThenTheIdAsBytes) {
  EXPECT_TRUE(precedes(bundle_sort_key("1705311001", "\"a\""), bundle_sort_key("1705311000.9", "\"b\"")));
  EXPECT_TRUE(precedes(bundle_sort_key("1705311000.25", "\"b\""), bundle_sort_key("1705311000.2", "\"a\"")));
  EXPECT_FALSE(precedes(bundle_sort_key("1705311000.2", "\"a\""), bundle_sort_key("1705311000.25", "\"b\"")));
  EXPECT_TRUE(precedes(bundle_sort_key("1705311000.20", "\"a\""), bundle_sort_key("1705311000.2", "\"b\"")));
  EXPECT_TRUE(precedes(bundle_sort_key("0", "\"a\""), bundle_sort_key("-1", "\"b\"")));
  EXPECT_TRUE(precedes(bundle_sort_key("1705311000", "\"B\""), bundle_sort_key("1705311000", "\"a\"")));
}

TEST(ThirdPartyRecord, NamesItsPeopleInTheirRelation) {
  std::string people;
  append_person(people, Relation::user, "\"sub-1\"");
  append_person(people, Relation::manager, "\"sub-2\"");
  append_person(people, Relation::manager, "\"sub-3\"");
  const std::string text = encode_record(ThirdParty{"\"T1\"", "\"Durand\"", "\"Chloé\"", {}}, people);
  EXPECT_EQ(
      text,
      "\"T1\"\t\"Durand\"\t\"Chloé\"\nutilisateur\t\"sub-1\"\ngestionnaire\t\"sub-2\"\ngestionnaire\t\"sub-3\"\n");
  const ThirdParty third_party = read_third_party(text).value();
  EXPECT_EQ(third_party.first_name, "\"Chloé\"");
  EXPECT_TRUE(has_relation(third_party, Relation::user, "\"sub-1\""));
  EXPECT_FALSE(has_relation(third_party, Relation::manager, "\"sub-1\""));
  EXPECT_TRUE(has_relation(third_party, Relation::manager, "\"sub-3\""));
  EXPECT_FALSE(has_relation(third_party, Relation::user, "\"sub-3\""));
  EXPECT_FALSE(has_relation(third_party, Relation::user, "\"sub\""));
  EXPECT_EQ(read_third_party("\"T1\"\n").error(), Failure::corrupt);
}

TEST(ThirdPartyRecord, LaterLinesGiveNoVisibility) {
  const ThirdParty third_party = read_third_party(
                                     "\"T1\"\t\"Durand\"\t\"Chloé\"\tlater\nlecteur\t\"sub-1\"\nutilisateur\t\"sub-"
                                     "2\"\tuntil\nutilisateur\t\"sub-3\"\n")
                                     .value();
  EXPECT_EQ(third_party.first_name, "\"Chloé\"");
  for (const std::string_view person : {"\"sub-1\"", "\"sub-2\""}) {
    EXPECT_FALSE(has_relation(third_party, Relation::user, person)) << person;
    EXPECT_FALSE(has_relation(third_party, Relation::manager, person)) << person;
  }
  EXPECT_TRUE(has_relation(third_party, Relation::user, "\"sub-3\""));
}

TEST(PersonIndexRecord, AnEntryNamesItsThirdParty) {
  for (const std::string_view text : {"\"L-1\"\n", "\"L-1\"\t\n"}) {
    const auto entry = IndexEntries(1, text).next();
    ASSERT_FALSE(entry) << text;
    EXPECT_EQ(entry.error(), Failure::corrupt) << text;
  }
}

TEST(PersonIndexRecord, IsSplitIntoPartsThatItCounts) {
  std::vector<std::string> ids;
  for (int i = 0; i < 10'000; ++i) ids.push_back(stored_string("L-" + std::to_string(i)));
  std::vector<IndexEntry> entries;
  for (const std::string& id : ids) entries.push_back({id, "\"T-000000000000001\""});
  const auto parts = encode_index("\"sub-1\"", entries);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].substr(0, 36), "3\t\"sub-1\"\n\"L-0\"\t\"T-000000000000001\"\n");
  EXPECT_EQ(count_index_parts(parts[0]).value(), 3U);
  std::size_t count = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    EXPECT_LE(parts[part].size(), max_value_size);
    IndexEntries read(part, parts[part]);
    while (const auto entry = read.next().value()) {
      EXPECT_EQ(entry->id, ids[count]);
      ++count;
    }
  }
  EXPECT_EQ(count, 10'000U);
}

TEST(ConsultationsRecord, HasAPartAtLeast) {
  EXPECT_EQ(count_consultation_parts("2\n").value(), 2U);
  for (const std::string_view head : {"0\n", "many\n", "\n", ""}) {
    const auto parts = count_consultation_parts(head);
    ASSERT_FALSE(parts) << head;
    EXPECT_EQ(parts.error(), Failure::corrupt) << head;
  }
}

TEST(ConsultationsRecord, TheHighestCounts) {
  std::string part_0 = with_consultation(0, "", "\"L-1\"", 2);
  EXPECT_EQ(part_0, "1\n\"L-1\"\t2\n");
  part_0 = with_consultation(0, part_0, "\"L-2\"", 1);
  part_0 = with_consultation(0, part_0, "\"L-1\"", 1);
  EXPECT_EQ(part_0, "1\n\"L-1\"\t2\n\"L-2\"\t1\n");
  EXPECT_EQ(with_consultation_parts(part_0, 2), "2\n\"L-1\"\t2\n\"L-2\"\t1\n");
  const std::string part_1 = with_consultation(1, "", "\"L-1\"", 5);
  EXPECT_EQ(part_1, "\"L-1\"\t5\n");

  Consultations consultations;
  ASSERT_TRUE(consultations.add_part(0, part_0));
  ASSERT_TRUE(consultations.add_part(1, part_1));
  EXPECT_EQ(consultations.seen_deposits("\"L-1\""), 5U);
  EXPECT_EQ(consultations.seen_deposits("\"L-2\""), 1U);
  EXPECT_EQ(consultations.seen_deposits("\"L-3\""), 0U);
}

TEST(ConsultationsRecord, LaterFieldsAreKept) {
  constexpr std::string_view stored = "1\thead\n\"L-1\"\t3\tone\tmore\n\"L-2\"\t1\ttwo\n";
  EXPECT_EQ(count_consultation_parts(stored).value(), 1U);
  EXPECT_EQ(with_consultation_parts(stored, 2), "2\thead\n\"L-1\"\t3\tone\tmore\n\"L-2\"\t1\ttwo\n");
  Consultations consultations;
  ASSERT_TRUE(consultations.add_part(0, stored));
  EXPECT_EQ(consultations.seen_deposits("\"L-1\""), 3U);
  EXPECT_EQ(with_consultation(0, stored, "\"L-1\"", 4), "1\thead\n\"L-1\"\t4\tone\tmore\n\"L-2\"\t1\ttwo\n");
}

TEST(ConsultationsRecord, LinesOfABundleBecomeTheHighest) {
  constexpr std::string_view raced = "1\n\"L-1\"\t3\n\"L-2\"\t1\n\"L-1\"\t9\n";
  EXPECT_EQ(with_consultation(0, raced, "\"L-1\"", 2), "1\n\"L-1\"\t9\n\"L-2\"\t1\n");
  EXPECT_EQ(with_consultation(0, raced, "\"L-1\"", 10), "1\n\"L-1\"\t10\n\"L-2\"\t1\n");
}

}  // namespace
}  // namespace portail
