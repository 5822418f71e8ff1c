#include "native/stores/postgres/postgres_table.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/stores/postgres/postgres_server.hpp"

namespace portail {
namespace {

using namespace std::string_view_literals;

constexpr const char* grant =
    "; grant USAGE on the schema, SELECT, INSERT, UPDATE and DELETE on the table, and CREATE on the schema if the "
    "table "
    "is missing";

// Returns the error of opening the table as this user; "works" if there is none.
std::string outcome_as(const std::string& user, const std::string& table, StoreAccess access,
                       const std::string& more_hosts = {}) {
  const std::string host = "127.0.0.1:" + std::to_string(shared_server().port) + more_hosts;
  const auto store =
      postgres::Store::open(*postgres::parse_url("//" + user + "@" + host + "/postgres?table=" + table), access);
  return store ? "works" : store.error();
}

TEST(PostgresTable, IsCreatedByTheDocumentedStatement) {
  std::ifstream in(PORTAIL_STORES_PAGE);
  const std::string page(std::istreambuf_iterator<char>(in), {});
  EXPECT_TRUE(page.contains(postgres::table_definition("portail")));
  EXPECT_EQ(postgres::table_definition("mail.store"),
            "CREATE TABLE mail.store (key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL)");
}

TEST(PostgresTable, IsCreatedOnlyOnRequest) {
  const PostgresServer& server = shared_server();
  const postgres::Url url = server.url("?table=made");
  EXPECT_EQ(
      postgres::Store::open(url, StoreAccess::serve).error(),
      server.name() + " cannot be used: it has no table made: portail check --create makes it, and so does an import");
  ASSERT_TRUE(StoreClient(*open_or_fail(url)).put("k", "v"));
  auto store = postgres::Store::open(url, StoreAccess::serve);
  ASSERT_TRUE(store) << store.error();
  EXPECT_EQ(StoreClient(**store).get("k"), "v");
  EXPECT_EQ(StoreClient(*open_or_fail(url)).get("k"), "v") << "an existing table is kept";
}

TEST(PostgresTable, MayBeInASchema) {
  const PostgresServer& server = shared_server();
  ASSERT_EQ(server.sql("CREATE SCHEMA mail"), "");
  auto store = open_or_fail(server.url("?table=mail.store"));
  ASSERT_TRUE(StoreClient(*store).put("k", "v"));
  EXPECT_EQ(server.sql("SELECT key || '=' || convert_from(value, 'UTF8') FROM mail.store"), "k=v\n");
}

// A stricter default of the server, the database or the role does not apply: concurrent changes would fail by it. A
// trigger records the level of each change.
TEST(PostgresTable, IsChangedAtTheLevelReadCommittedWhateverTheDefaultIs) {
  const PostgresServer& server = shared_server();
  ASSERT_EQ(
      server.sql("CREATE ROLE strict LOGIN; ALTER ROLE strict SET default_transaction_isolation = 'serializable'"), "");
  open_or_fail(server.url("?table=levelled"));
  ASSERT_EQ(
      server.sql(
          "GRANT ALL ON levelled TO strict; CREATE TABLE levels (change text, level text); GRANT ALL ON levels TO "
          "strict;"
          "CREATE FUNCTION record_level() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN"
          " INSERT INTO levels VALUES (tg_op, current_setting(''transaction_isolation'')); RETURN coalesce(new, old);"
          " END'; CREATE TRIGGER record_level BEFORE INSERT OR UPDATE OR DELETE ON levelled"
          " FOR EACH ROW EXECUTE FUNCTION record_level()"),
      "");
  auto store = open_or_fail(
      *postgres::parse_url("//strict@127.0.0.1:" + std::to_string(server.port) + "/postgres?table=levelled"));
  StoreClient client(*store);
  ASSERT_EQ(server.sql("DELETE FROM levels"), "");  // of the trial of a write
  EXPECT_TRUE(client.put("k", "v"));
  EXPECT_EQ(client.swap("k", "v", "w"), true);
  EXPECT_TRUE(client.write({{"k", std::nullopt}}));
  EXPECT_EQ(server.sql("SELECT change, level FROM levels ORDER BY change"),
            "DELETE|read committed\nINSERT|read committed\nUPDATE|read committed\n");
}

TEST(PostgresTable, IsRejectedInOneLineIfItIsNotThePortals) {
  const PostgresServer& server = shared_server();
  const auto error = [&server](const std::string& columns) {
    EXPECT_EQ(server.sql("DROP TABLE IF EXISTS odd; CREATE TABLE odd " + columns), "");
    auto store = postgres::Store::open(server.url("?table=odd"), StoreAccess::create);
    return store ? "none" : store.error();
  };
  const auto line = [&server](const std::string& what) {
    return server.name() + " cannot be used: its table odd is not the portal's: " + what +
           " (docs/reference/stores.md has the statement)";
  };
  EXPECT_EQ(error("(key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL)"), "none");
  EXPECT_EQ(error("(key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL, since date DEFAULT now())"), "none");
  EXPECT_EQ(error("(key text PRIMARY KEY, value bytea NOT NULL)"),
            line("the column key is not sorted by bytes, COLLATE \"C\""));
  EXPECT_EQ(error("(key bytea PRIMARY KEY, value bytea NOT NULL)"), line("the column key is not of type text"));
  EXPECT_EQ(error("(key text COLLATE \"C\" PRIMARY KEY, value text NOT NULL)"),
            line("the column value is not of type bytea"));
  EXPECT_EQ(error("(key text COLLATE \"C\" PRIMARY KEY, value bytea)"), line("the column value is nullable"));
  EXPECT_EQ(error("(name text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL)"), line("it has no column key"));
  EXPECT_EQ(error("(key text COLLATE \"C\" PRIMARY KEY)"), line("it has no column value"));
  EXPECT_EQ(error("(key text COLLATE \"C\", value bytea NOT NULL)"),
            line("the column key is not the primary key, or is deferrable"));
  const std::string columns = "(key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL)";
  EXPECT_EQ(error("(key text COLLATE \"C\" PRIMARY KEY DEFERRABLE, value bytea NOT NULL)"),
            line("the column key is not the primary key, or is deferrable"));
  EXPECT_EQ(error("(key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL CHECK (length(value) < 9))"),
            line("it has check, foreign key or exclusion constraints"));
  EXPECT_EQ(error(columns + " PARTITION BY RANGE (key)"), line("it is not an ordinary table"));
  EXPECT_EQ(error(columns + "; ALTER TABLE odd SET UNLOGGED"),
            line("it is unlogged: a crash of the server empties it"));
  EXPECT_EQ(error(columns + "; ALTER TABLE odd ENABLE ROW LEVEL SECURITY"), line("it has row-level security"));
  EXPECT_EQ(error("(key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL, version int NOT NULL)"),
            server.name() +
                " cannot be used: a trial write failed: null value in column \"version\" of relation \"odd\" "
                "violates not-null constraint (23502)");
  EXPECT_TRUE(postgres::Store::open(server.url("?table=odd"), StoreAccess::read)) << "its data can be exported";
}

TEST(PostgresTable, IsTestedByAWriteThatIsRolledBack) {
  const PostgresServer& server = shared_server();
  ASSERT_TRUE(StoreClient(*open_or_fail(server.url("?table=tried"))).put("k", "v"));
  ASSERT_EQ(server.sql("CREATE ROLE looker LOGIN; GRANT SELECT ON tried TO looker"), "");
  const auto outcome = [&server](StoreAccess access) { return outcome_as("looker", "tried", access); };
  const std::string refused = server.name() + " cannot be used: ";
  for (const StoreAccess access : {StoreAccess::check, StoreAccess::serve, StoreAccess::create, StoreAccess::fill}) {
    EXPECT_EQ(outcome(access), refused + "a trial write failed: permission denied for table tried (42501)" + grant);
  }
  EXPECT_EQ(outcome(StoreAccess::read), "works");
  ASSERT_EQ(server.sql("GRANT INSERT, UPDATE, DELETE ON tried TO looker"), "");
  EXPECT_EQ(outcome(StoreAccess::check), "works");
  EXPECT_EQ(server.sql("SELECT key FROM tried"), "k\n");
  // As on a standby.
  ASSERT_EQ(server.sql("ALTER ROLE looker SET default_transaction_read_only = on"), "");
  EXPECT_EQ(outcome(StoreAccess::check), "works");
  EXPECT_EQ(outcome(StoreAccess::serve), "works");
  const std::string read_only = "it is read-only: cannot execute INSERT in a read-only transaction (25006)";
  EXPECT_EQ(outcome(StoreAccess::fill),
            refused + read_only + "; set default_transaction_read_only = off for the user, the database or the server");
  const auto in_recovery = [&](const std::string& value, const std::string& more_hosts = {}) {
    EXPECT_EQ(
        server.sql("CREATE OR REPLACE FUNCTION fake.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT " +
                   value + "'"),
        "");
    const std::string text = outcome_as("looker", "tried", StoreAccess::fill, more_hosts);
    return text.substr(text.find(read_only) + read_only.size());
  };
  ASSERT_EQ(server.sql("CREATE SCHEMA fake; GRANT USAGE ON SCHEMA fake TO looker;"
                       "ALTER ROLE looker SET search_path = fake, pg_catalog, public"),
            "");
  EXPECT_EQ(in_recovery("true"), "; name a server that accepts writes");
  EXPECT_EQ(in_recovery("true", ",localhost:1"), "; set target_session_attrs=read-write");
  EXPECT_EQ(in_recovery("1 / 0 = 0"), "") << "the query fails";
}

// The server leaves a schema without USAGE out of the search path.
TEST(PostgresTable, IsNotFoundWithoutRights) {
  const PostgresServer& server = shared_server();
  ASSERT_EQ(
      server.sql("CREATE SCHEMA closed; CREATE ROLE maker LOGIN; CREATE TABLE closed.kept (); CREATE SCHEMA empty;"
                 "GRANT USAGE ON SCHEMA empty TO maker"),
      "");
  const std::string refused = server.name() + " cannot be used: ";
  const auto search = [&server](const std::string& path) {
    EXPECT_EQ(server.sql("ALTER ROLE maker SET search_path = " + path), "");
  };
  EXPECT_EQ(outcome_as("maker", "absent", StoreAccess::create),
            refused + "its table absent cannot be created: permission denied for schema public (42501)" + grant);
  EXPECT_EQ(outcome_as("maker", "closed.kept", StoreAccess::serve),
            refused + "permission denied for schema closed (42501)" + grant);
  const std::string hidden = refused + "the user lacks USAGE on the schema closed of its search path" + grant;
  for (const StoreAccess access : {StoreAccess::read, StoreAccess::serve, StoreAccess::fill}) {
    search("\"$user\", closed, empty");
    EXPECT_EQ(outcome_as("maker", "kept", access), hidden);
    search("\"$user\", closed");
    EXPECT_EQ(outcome_as("maker", "absent", access), hidden) << "no other schema is left";
  }
  search("closed, empty");
  EXPECT_TRUE(outcome_as("maker", "absent", StoreAccess::serve).contains("it has no table absent: "));
  EXPECT_TRUE(
      outcome_as("maker", "nowhere.kept", StoreAccess::fill).ends_with("schema \"nowhere\" does not exist (3F000)"));
}

TEST(PostgresTable, NeedsAServerThatIsNotTooOld) {
  EXPECT_EQ(postgres::version_fault("PostgreSQL 14.11 (Debian 14.11-1) on x86_64-pc-linux-gnu"),
            "it is PostgreSQL 14; the portal requires 15 or later");
  EXPECT_EQ(postgres::version_fault("PostgreSQL 9.6.24 on x86_64"),
            "it is PostgreSQL 9; the portal requires 15 or later");
  EXPECT_EQ(postgres::version_fault("PostgreSQL 15.6 on x86_64"), "");
  EXPECT_EQ(postgres::version_fault("PostgreSQL 18beta1 on x86_64"), "");
  EXPECT_EQ(postgres::version_fault("PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64"), "");
  EXPECT_EQ(postgres::version_fault("CockroachDB CCL v24.1.0"), "");
}

TEST(PostgresTable, IsQueriedByArraysInTheBinaryFormat) {
  const std::vector<std::string_view> elements = {"ab", ""};
  EXPECT_EQ(postgres::text_array(elements), "\0\0\0\1\0\0\0\0\0\0\0\x19\0\0\0\2\0\0\0\1\0\0\0\2ab\0\0\0\0"sv);
  EXPECT_EQ(postgres::bytea_array({}), "\0\0\0\1\0\0\0\0\0\0\0\x11\0\0\0\0\0\0\0\1"sv);
}

}  // namespace
}  // namespace portail
