#include "native/stores/postgres/postgres_store.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"
#include "tests/stores/postgres/postgres_server.hpp"

namespace portail {
namespace {

// The suite opens a hundred concurrent sessions and writes meanwhile.
std::unique_ptr<KeyValueStore> make_postgres_store() { return open_or_fail(url_of_a_new_table("&pool=110")); }

INSTANTIATE_TEST_SUITE_P(Postgres, StoreConformance, testing::Values(make_postgres_store),
                         [](const auto&) { return "store"; });

TEST(PostgresStore, ClaimsEverything) {
  const auto traits = make_postgres_store()->traits();
  EXPECT_TRUE(traits.snapshots);
  EXPECT_TRUE(traits.compare_and_swap);
  EXPECT_TRUE(traits.atomic_batches);
}

TEST(PostgresStore, CountsTheBytesThatASessionKeeps) {
  expect_that_a_session_counts_its_copies(*make_postgres_store());
}

TEST(PostgresStore, KeepsEachValueAsARow) {
  const PostgresServer& server = shared_server();
  auto store = open_or_fail(server.url("?table=rows"));
  StoreClient client(*store);
  ASSERT_TRUE(client.write({{"liasse.L-2024", R"({"id":"L-2024"})"}, {"gone", "v"}, {"gone", std::nullopt}}));
  ASSERT_EQ(client.swap("configuration", std::nullopt, "é\n"), true);
  EXPECT_EQ(server.sql("SELECT key, value FROM rows ORDER BY key"),
            "configuration|\\xc3a90a\nliasse.L-2024|\\x7b226964223a224c2d32303234227d\n");
  ASSERT_EQ(server.sql("INSERT INTO rows VALUES ('tiers.T1', 'from another program')"), "");
  EXPECT_EQ(client.get("tiers.T1"), "from another program");
  EXPECT_EQ(client.swap("tiers.T1", "from another program", "ours"), true);
  EXPECT_EQ(client.scan("tiers."), (std::vector<std::string>{"tiers.T1=ours"}));
}

TEST(PostgresStore, ScansMoreThanAPage) {
  auto store = open_or_fail(url_of_a_new_table());
  StoreClient client(*store);
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back("k." + std::to_string(10'000 + i));
  std::vector<Change> changes;
  for (const std::string& key : keys) changes.push_back({key, key});
  changes.push_back({"l", "after"});
  ASSERT_TRUE(client.write(changes));
  const auto found = client.scan("k.");
  ASSERT_EQ(found.size(), 1000U);
  EXPECT_EQ(found.front(), "k.10000=k.10000");
  EXPECT_EQ(found.back(), "k.10999=k.10999");
  EXPECT_EQ(client.scan("k.", 129).back(), "k.10128=k.10128");
}

TEST(PostgresStore, ScansAPageOfTheLargestValues) {
  const auto store = open_or_fail(url_of_a_new_table());
  StoreClient client(*store);
  const std::string largest(262'144, 'v');
  std::vector<std::string> expected;
  for (const std::string key : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    ASSERT_TRUE(client.put(key, largest));
    expected.push_back(key + '=' + largest);
  }
  EXPECT_TRUE(client.scan("") == expected);
}

// The visitor writes through another store: the following pages still show the state of the first one.
TEST(PostgresStore, ScansOneState) {
  const postgres::Url url = url_of_a_new_table();
  auto store = open_or_fail(url);
  auto other = open_or_fail(url);
  StoreClient client(*store);
  StoreClient writer(*other);
  std::vector<std::string> keys;
  for (int i = 0; i < 300; ++i) keys.push_back("k." + std::to_string(1000 + i));
  std::vector<Change> changes;
  for (const std::string& key : keys) changes.push_back({key, std::string_view("old")});
  ASSERT_TRUE(client.write(changes));
  struct Changing : Visitor {
    explicit Changing(StoreClient& other_client) : writer(other_client) {}
    bool visit(std::string_view, std::string_view value) override {
      if (seen++ == 0) {
        EXPECT_TRUE(writer.write({{"k.1299", "new"}, {"k.1298", std::nullopt}, {"k.1299x", "new"}}));
      }
      EXPECT_EQ(value, "old");
      return true;
    }
    StoreClient& writer;
    int seen = 0;
  } visitor(writer);
  EXPECT_TRUE(run_ready(store->scan(client.context(), "k.", visitor)));
  EXPECT_EQ(visitor.seen, 300);
}

// The list in docs/how-to/run-on-postgresql.md.
TEST(PostgresStore, NeedsOnlyTheDocumentedPrivileges) {
  const PostgresServer& server = shared_server();
  open_or_fail(server.url("?table=granted"));
  ASSERT_EQ(server.sql("CREATE ROLE clerk LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON granted TO clerk"), "");
  const auto url = postgres::parse_url("//clerk@127.0.0.1:" + std::to_string(server.port) + "/postgres?table=granted");
  ASSERT_TRUE(url);
  auto store = postgres::Store::open(*url, StoreAccess::create);
  ASSERT_TRUE(store) << store.error();
  StoreClient client(**store);
  EXPECT_TRUE(client.write({{"k", "1"}, {"gone", std::nullopt}}));
  EXPECT_EQ(client.swap("k", "1", "2"), true);
  EXPECT_EQ(client.scan(""), (std::vector<std::string>{"k=2"}));

  LoggedPostgres refused(*url);
  ASSERT_EQ(server.sql("REVOKE INSERT ON granted FROM clerk"), "");
  EXPECT_EQ(refused.put("k", "3"), std::unexpected(Failure::unavailable));
  EXPECT_EQ(refused.log.lines, (std::vector<std::string>{"store: a write failed: " + server.name() +
                                                         ": permission denied for table granted (42501)"}));
}

}  // namespace
}  // namespace portail
