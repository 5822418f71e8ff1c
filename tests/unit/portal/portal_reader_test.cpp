#include "core/portal/portal_reader.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/portal/consultation.hpp"
#include "core/portal/entity_reader.hpp"
#include "core/portal/records/lines.hpp"
#include "core/storage/key.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/counting_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail {
namespace {

class PortalReaderTest : public testing::Test {
 protected:
  static Task<ReadResult> read(Context& context, Session& session, const ReadSpec& spec) {
    ReadResult result;
    co_await portail::read(context, session, spec, result);
    co_return result;
  }

  void put(const std::string& key, std::string_view value) {
    const Change change{key, value};
    ASSERT_TRUE(run_ready(memory.write(test.context, {&change, 1})));
  }
  std::string value(const std::string& key) {
    const auto session = run_ready(memory.open(test.context)).value();
    const std::string_view view = key;
    Value found;
    EXPECT_TRUE(run_ready(session->get(test.context, {&view, 1}, {&found, 1})));
    return std::string(found.value_or("(absent)"));
  }
  void put_bundle(std::string_view id, std::string_view third_party, std::span<const ExpectedPiece> pieces = {}) {
    put_bundle_at(bundle_key(id), id, third_party, pieces);
  }
  void put_bundle_at(const std::string& key, std::string_view id, std::string_view third_party,
                     std::span<const ExpectedPiece> pieces = {}) {
    const std::string stored_id = stored_string(id);
    const std::string stored_third_party = stored_string(third_party);
    std::string lines;
    for (const ExpectedPiece& piece : pieces) {
      append_fields(lines, piece);
      lines += '\n';
    }
    const Bundle bundle{.revision = {},
                        .deposits = 0,
                        .instant = "1",
                        .id = stored_id,
                        .name = "\"D\"",
                        .creation_date = "1970-01-01T00:00:01+00:00",
                        .third_party = stored_third_party,
                        .loan = "\"P\"",
                        .amount = "1",
                        .put_in_place = "false",
                        .piece_lines = lines};
    put(key, encode_bundle(bundle));
  }
  void put_third_party(std::string_view number, std::vector<std::string_view> users) {
    std::string people;
    for (const std::string_view user : users) append_person(people, Relation::user, user);
    const std::string stored_number = stored_string(number);
    put(third_party_key(number), encode_record(ThirdParty{stored_number, "\"N\"", "\"P\"", {}}, people));
  }

  // Stores mail objects 1 to `count`, with descriptions of `description_bytes` bytes.
  void put_catalogue(std::uint64_t count, std::size_t description_bytes) {
    const std::string description = stored_string(std::string(description_bytes, 'd'));
    std::vector<MailObject> objects;
    for (std::uint64_t id = 1; id <= count; ++id) {
      objects.push_back({.id = id, .type = "\"T\"", .description = description, .template_file = {}});
    }
    const auto parts = encode_catalogue(objects);
    for (std::size_t part = 0; part < parts.size(); ++part)
      put(catalogue_key(static_cast<std::uint32_t>(part)), parts[part]);
  }

  // Returns the bundles that "sub-1" sees as a user.
  std::vector<Entity<Bundle>> visible_bundles(Session& session, std::span<const IndexEntry> entries) {
    auto bundles = run_ready(read_entities<read_bundle, bundle_key>(test.context, session, entries)).value();
    keep_visible(bundles, Relation::user, "\"sub-1\"");
    return bundles;
  }

  TestContext test;
  MemoryStore memory;
  CountingStore store{memory};
};

TEST_F(PortalReaderTest, PageReadsOnlyThePartsItNeeds) {
  put_catalogue(1000, 1000);  // eight parts

  const auto session = run_ready(store.open(test.context)).value();
  store.calls = {};
  const auto first =
      run_ready(read(test.context, *session, {.mail_objects = ReadSpec::MailObjects::page, .skip = 0, .count = 10}))
          .value();
  EXPECT_EQ(store.calls, (StoreCalls{.batches = 1, .keys = 2}));
  EXPECT_EQ(first.summary.total, 1000U);
  EXPECT_EQ(first.mail_objects.at(0).value().id, 1U);

  store.calls = {};
  const auto later =
      run_ready(read(test.context, *session, {.mail_objects = ReadSpec::MailObjects::page, .skip = 500, .count = 10}))
          .value();
  EXPECT_EQ(store.calls, (StoreCalls{.batches = 2, .keys = 3}));
  EXPECT_EQ(later.mail_objects.at(500 - static_cast<std::size_t>(later.first_position)).value().id, 501U);

  const auto one =
      run_ready(read(test.context, *session, {.mail_objects = ReadSpec::MailObjects::one, .id = 1000})).value();
  EXPECT_EQ(one.mail_objects.find(1000).value().value().id, 1000U);
  const auto all = run_ready(read(test.context, *session, {.mail_objects = ReadSpec::MailObjects::all})).value();
  EXPECT_EQ(all.mail_objects.size(), 1000U);
  const auto beyond =
      run_ready(read(test.context, *session, {.mail_objects = ReadSpec::MailObjects::page, .skip = 5000, .count = 10}))
          .value();
  EXPECT_EQ(beyond.mail_objects.size(), 0U);
}

TEST_F(PortalReaderTest, ABundleReadsOnlyThePartsOfItsPieces) {
  put_catalogue(1000, 1000);  // eight parts
  put_third_party("T1", {"\"sub-1\""});
  const auto piece = [](std::string_view mail_object) {
    return ExpectedPiece{.id = "00000000-0000-0000-0000-000000000001",
                         .mail_object = mail_object,
                         .status = "\"Attendu\"",
                         .reason = "null",
                         .deposit = "-"};
  };
  put_bundle("L-none", "T1");
  put_bundle("L-first", "T1", std::vector{piece("1"), piece("100")});
  put_bundle("L-many", "T1", std::vector{piece("1000"), piece("2"), piece("500"), piece("999"), piece("1001")});
  const auto session = run_ready(store.open(test.context)).value();
  const auto read_bundle = [&](std::string_view id) {
    store.calls = {};
    return run_ready(read(test.context, *session, {.mail_objects = ReadSpec::MailObjects::of_bundle, .bundle = id}))
        .value();
  };
  // Reads part 0 of the catalogue, the configuration and the bundle, then its third party.
  EXPECT_EQ(read_bundle("L-none").mail_objects.size(), 0U);
  EXPECT_EQ(store.calls, (StoreCalls{.batches = 2, .keys = 4}));
  const auto first = read_bundle("L-first");
  EXPECT_EQ(store.calls, (StoreCalls{.batches = 2, .keys = 4}));
  EXPECT_EQ(first.mail_objects.find(100).value().value().id, 100U);
  const auto many = read_bundle("L-many");
  EXPECT_EQ(store.calls, (StoreCalls{.batches = 2, .keys = 6})) << "and two parts of the other seven";
  for (const std::uint64_t id : {2U, 500U, 999U, 1000U}) {
    EXPECT_EQ(many.mail_objects.find(id).value().value().id, id);
  }
  EXPECT_FALSE(many.mail_objects.find(1001).value());
  EXPECT_FALSE(many.mail_objects.find(700).value()) << "its part was not read";
}

TEST_F(PortalReaderTest, AMissingBundleDoesNotReadTheCatalogue) {
  put_catalogue(1000, 1000);  // eight parts
  const auto session = run_ready(store.open(test.context)).value();
  store.calls = {};
  const auto found =
      run_ready(read(test.context, *session, {.mail_objects = ReadSpec::MailObjects::of_bundle, .bundle = "L-9"}))
          .value();
  EXPECT_EQ(store.calls, (StoreCalls{.batches = 1, .keys = 3}));
  EXPECT_FALSE(found.bundle);
}

// Three parts of 20, 20 and 5.
TEST_F(PortalReaderTest, PageEndsAndBeginsWithAPart) {
  put_catalogue(45, 6'500);
  const auto session = run_ready(store.open(test.context)).value();
  struct Case {
    std::uint64_t skip;
    std::uint64_t count;
    std::uint64_t first_position;
    std::size_t objects;
    int keys;  // part 0 and the configuration are always read
  };
  for (const Case& one :
       {Case{0, 20, 0, 20, 2}, Case{0, 21, 0, 40, 3}, Case{19, 1, 0, 20, 2}, Case{19, 2, 0, 40, 3},
        Case{20, 1, 20, 20, 3}, Case{20, 20, 20, 20, 3}, Case{20, 21, 20, 25, 4}, Case{39, 2, 20, 25, 4},
        Case{40, 5, 40, 5, 3}, Case{10, 31, 0, 45, 4}, Case{45, 1, 45, 0, 2}}) {
    store.calls = {};
    const auto page =
        run_ready(read(test.context, *session,
                       {.mail_objects = ReadSpec::MailObjects::page, .skip = one.skip, .count = one.count}))
            .value();
    const std::string description = std::to_string(one.skip) + ", " + std::to_string(one.count);
    EXPECT_EQ(page.summary.total, 45U) << description;
    EXPECT_EQ(page.first_position, one.first_position) << description;
    EXPECT_EQ(page.mail_objects.size(), one.objects) << description;
    EXPECT_EQ(store.calls.keys, one.keys) << description;
    if (one.objects > 0) {
      EXPECT_EQ(page.mail_objects.at(0).value().id, one.first_position + 1) << description;
    }
  }
}

TEST_F(PortalReaderTest, AnEmptyStoreHasNoElements) {
  const auto session = run_ready(store.open(test.context)).value();
  const auto found = run_ready(read(test.context, *session,
                                    {.mail_objects = ReadSpec::MailObjects::all,
                                     .grants = true,
                                     .bundle = "L-1",
                                     .index = user_index_prefix,
                                     .consultations = true,
                                     .person = "sub-1"}))
                         .value();
  EXPECT_EQ(found.summary.total, 0U);
  EXPECT_FALSE(found.bundle);
  EXPECT_EQ(found.index.size(), 0U);
  EXPECT_EQ(found.consultations.seen_deposits("\"L-1\""), 0U);
}

TEST_F(PortalReaderTest, DamageEndsTheReading) {
  put(catalogue_key(0), "nonsense\n");
  const auto session = run_ready(store.open(test.context)).value();
  const auto found = run_ready(read(test.context, *session, {.mail_objects = ReadSpec::MailObjects::all}));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error(), Failure::corrupt);
}

TEST_F(PortalReaderTest, DamageOfAnyValueEndsTheReading) {
  put_catalogue(3, 10);
  const ExpectedPiece piece{.id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
                            .mail_object = "1",
                            .status = "\"Déposé\"",
                            .reason = "null",
                            .deposit = "-"};
  put_bundle("L-1", "T-1", {&piece, 1});
  const auto error_of = [&](const ReadSpec& spec) {
    const auto session = run_ready(memory.open(test.context)).value();
    const auto found = run_ready(read(test.context, *session, spec));
    return found ? std::nullopt : std::optional(found.error());
  };
  const ReadSpec bundle{.mail_objects = ReadSpec::MailObjects::of_bundle, .bundle = "L-1"};
  EXPECT_EQ(error_of(bundle), std::nullopt);
  put(bundle_key("L-1"), value(bundle_key("L-1")) + "no piece\n");
  EXPECT_EQ(error_of(bundle), Failure::corrupt);
  EXPECT_EQ(error_of({.grants = true}), std::nullopt);
  put("droits", "no grant\n");
  EXPECT_EQ(error_of({.grants = true}), Failure::corrupt);
}

TEST_F(PortalReaderTest, AnIndexWithAnEntryThatNamesNoThirdPartyIsDamaged) {
  put(person_key(user_index_prefix, "sub-1", 0), "1\t\"sub-1\"\n\"L-1\"\t\"T1\"\n\"L-2\"\n");
  const auto session = run_ready(store.open(test.context)).value();
  const auto found = run_ready(read(test.context, *session, {.index = user_index_prefix, .person = "sub-1"}));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error(), Failure::corrupt);
}

TEST_F(PortalReaderTest, VisibleBundlesAreCheckedOnEveryRead) {
  put_bundle("L-1", "T1");
  put_bundle("L-2", "T2");
  put_bundle("L-moved", "T3");
  put_third_party("T1", {"\"sub-1\""});
  put_third_party("T2", {"\"sub-2\""});
  put_third_party("T3", {"\"sub-1\""});
  const std::vector<IndexEntry> entries{
      {"\"L-1\"", "\"T1\""}, {"\"L-2\"", "\"T2\""}, {"\"L-gone\"", "\"T1\""}, {"\"L-moved\"", "\"T1\""}};
  const auto session = run_ready(store.open(test.context)).value();
  store.calls = {};
  const auto visible = visible_bundles(*session, entries);
  ASSERT_EQ(visible.size(), 2U);
  EXPECT_EQ(visible[0].record.id, "\"L-1\"");
  EXPECT_EQ(visible[1].record.id, "\"L-moved\"");
  EXPECT_EQ(visible[1].third_party.number, "\"T3\"");
  EXPECT_EQ(store.calls.batches, 2);
}

// Long ids are hashed into their keys, and could collide.
TEST_F(PortalReaderTest, ABundleAtTheKeyOfAnotherIdIsNotFound) {
  const std::string long_id(300, 'a');
  put_bundle_at(bundle_key(long_id), std::string(300, 'b'), "T1");
  put_bundle("L-1", "T1");
  put_third_party("T1", {"\"sub-1\""});
  const auto session = run_ready(store.open(test.context)).value();
  const auto found = run_ready(read(test.context, *session, {.bundle = long_id})).value();
  EXPECT_FALSE(found.bundle);
  EXPECT_FALSE(found.third_party);

  const std::string entry = stored_string(long_id);
  const std::vector<IndexEntry> entries{{entry, "\"T1\""}, {"\"L-1\"", "\"T1\""}};
  const auto visible = visible_bundles(*session, entries);
  ASSERT_EQ(visible.size(), 1U);
  EXPECT_EQ(visible[0].record.id, "\"L-1\"");

  put_bundle(long_id, "T1");
  const auto later = run_ready(store.open(test.context)).value();
  EXPECT_TRUE(run_ready(read(test.context, *later, {.bundle = long_id})).value().bundle);
  EXPECT_EQ(visible_bundles(*later, entries).size(), 2U);
}

TEST_F(PortalReaderTest, AThirdPartyIsReadOnceHoweverManyBundlesItHas) {
  for (const auto id : {"L-1", "L-2", "L-3"}) put_bundle(id, "T1");
  put_third_party("T1", {"\"sub-1\""});
  const std::vector<IndexEntry> entries{{"\"L-1\"", "\"T1\""}, {"\"L-2\"", "\"T1\""}, {"\"L-3\"", "\"T1\""}};
  const auto session = run_ready(store.open(test.context)).value();
  store.calls = {};
  const auto visible = visible_bundles(*session, entries);
  EXPECT_EQ(visible.size(), 3U);
  EXPECT_EQ(store.calls.keys, 4);
}

TEST_F(PortalReaderTest, ConsultationGivesUpARaceThatItAlwaysLoses) {
  class Lost final : public ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    Task<bool> compare_and_swap(Context&, std::string_view, Value, std::string_view) override {
      ++races;
      co_return false;
    }
    int races = 0;
  };
  Lost lost(memory);
  const auto recorded = run_ready(record_consultation(test.context, lost, "sub-1", "\"L-1\"", 2));
  ASSERT_FALSE(recorded);
  EXPECT_EQ(recorded.error(), Failure::unavailable);
  EXPECT_EQ(lost.races, 32);
}

TEST_F(PortalReaderTest, ConsultationIsWrittenOnlyWhenItGrows) {
  const auto record = [&](std::string_view bundle, std::uint64_t count) {
    EXPECT_TRUE(run_ready(record_consultation(test.context, store, "sub-1", bundle, count)));
  };
  record("\"L-1\"", 2);
  EXPECT_EQ(value(consultation_key("sub-1", 0)), "1\n\"L-1\"\t2\n");
  store.calls = {};
  record("\"L-1\"", 2);
  record("\"L-1\"", 1);
  EXPECT_EQ(store.calls.swaps, 0);
  record("\"L-2\"", 1);
  EXPECT_EQ(value(consultation_key("sub-1", 0)), "1\n\"L-1\"\t2\n\"L-2\"\t1\n");
}

// The first race is lost to another consultation of the same person: both are recorded.
TEST_F(PortalReaderTest, FullConsultationsGoOnInAnotherPartAfterALostRace) {
  struct FirstLost final : ForwardingStore {
    using ForwardingStore::ForwardingStore;
    Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                                std::string_view desired) override {
      if (++races == 1) {
        co_await record_consultation(context, target(), "sub-1", "\"L-other\"", 5);
      }
      co_return co_await ForwardingStore::compare_and_swap(context, key, expected, desired);
    }
    int races = 0;
  };
  std::string full = "1\n";
  for (int i = 0; i < 6000; ++i) full += "\"L-" + std::to_string(100'000 + i) + "\"\t1\n";
  put(consultation_key("sub-1", 0), full);
  FirstLost lost(memory);
  EXPECT_TRUE(run_ready(record_consultation(test.context, lost, "sub-1", "\"L-new\"", 3)));
  EXPECT_EQ(lost.races, 2);
  EXPECT_EQ(value(consultation_key("sub-1", 1)), "\"L-other\"\t5\n\"L-new\"\t3\n");
}

TEST_F(PortalReaderTest, FullConsultationsGoOnInAnotherPart) {
  std::string full = "1\n";
  for (int i = 0; i < 6000; ++i) full += "\"L-" + std::to_string(100'000 + i) + "\"\t1\n";
  put(consultation_key("sub-1", 0), full);
  EXPECT_TRUE(run_ready(record_consultation(test.context, store, "sub-1", "\"L-new\"", 3)));
  EXPECT_EQ(value(consultation_key("sub-1", 1)), "\"L-new\"\t3\n");
  EXPECT_EQ(value(consultation_key("sub-1", 0)).substr(0, 2), "2\n");
  EXPECT_TRUE(run_ready(record_consultation(test.context, store, "sub-1", "\"L-100001\"", 2)));
  EXPECT_EQ(value(consultation_key("sub-1", 0)).contains("\"L-100001\"\t2\n"), true);
  EXPECT_TRUE(run_ready(record_consultation(test.context, store, "sub-1", "\"L-newer\"", 1)));
  EXPECT_TRUE(run_ready(record_consultation(test.context, store, "sub-1", "\"L-new\"", 4)));
  EXPECT_EQ(value(consultation_key("sub-1", 1)), "\"L-new\"\t4\n\"L-newer\"\t1\n");

  const auto session = run_ready(store.open(test.context)).value();
  const auto found = run_ready(read(test.context, *session, {.consultations = true, .person = "sub-1"})).value();
  EXPECT_EQ(found.consultations.seen_deposits("\"L-new\""), 4U);
  EXPECT_EQ(found.consultations.seen_deposits("\"L-100001\""), 2U);
}

}  // namespace
}  // namespace portail
