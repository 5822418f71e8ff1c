#include "native/stores/postgres/postgres_url.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace portail {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

postgres::Url parsed(std::string_view text) {
  auto url = postgres::parse_url(text);
  if (!url) ADD_FAILURE() << text << ": " << url.error();
  return url.value_or(postgres::Url{});
}

bool has(const postgres::Url& url, std::string_view name, std::string_view value) {
  for (const auto& [keyword, given] : url.parameters) {
    if (keyword == name) return given == value;
  }
  return false;
}

TEST(PostgresUrl, HasDefaults) {
  const postgres::Url url = parsed("//data.example/portal");
  EXPECT_EQ(url.parameters, (Parameters{{"dbname", "portal"}, {"host", "data.example"}}));
  EXPECT_EQ(url.table, "portail");
  EXPECT_EQ(url.pool, 16U);
  EXPECT_EQ(url.connect_timeout(), std::chrono::seconds(2));
  EXPECT_EQ(url.name, "postgres://data.example:5432/portal");
}

TEST(PostgresUrl, HasAllItsParts) {
  const postgres::Url url = parsed(
      "//bob:p%40ss%2Fw%C3%B6rd%25:x@a.example:7000,b.example:7001/portal?sslmode=verify-full&table=mail.store_2&"
      "sslrootcert=/etc/ssl/ca.pem&pool=40&target_session_attrs=read-write&connect_timeout=3");
  EXPECT_TRUE(has(url, "user", "bob"));
  EXPECT_TRUE(has(url, "password", "p@ss/wörd%:x"));
  EXPECT_TRUE(has(url, "host", "a.example,b.example"));
  EXPECT_TRUE(has(url, "port", "7000,7001"));
  EXPECT_TRUE(has(url, "dbname", "portal"));
  EXPECT_TRUE(has(url, "sslmode", "verify-full"));
  EXPECT_TRUE(has(url, "sslrootcert", "/etc/ssl/ca.pem"));
  EXPECT_TRUE(has(url, "target_session_attrs", "read-write"));
  EXPECT_TRUE(has(url, "connect_timeout", "3"));
  EXPECT_EQ(url.table, "mail.store_2");
  EXPECT_EQ(url.pool, 40U);
  EXPECT_EQ(url.name, "postgres://a.example:7000,b.example:7001/portal");
}

TEST(PostgresUrl, AcceptsAddressesAndSockets) {
  EXPECT_EQ(parsed("//[2001:db8::7]:7000/d").name, "postgres://[2001:db8::7]:7000/d");
  EXPECT_EQ(parsed("//a,b/d").name, "postgres://a:5432,b:5432/d");
  const postgres::Url url = parsed("//%2Fvar%2Frun%2Fpostgresql/d");
  EXPECT_TRUE(has(url, "host", "/var/run/postgresql"));
}

TEST(PostgresUrl, AcceptsOtherCharactersInAPasswordAndAnAtInAValue) {
  for (const std::string_view password : {"p#w", "p:w", "p[w", "p]w", "[p]", "p w"}) {
    EXPECT_TRUE(has(parsed("//bob:" + std::string(password) + "@h/d"), "password", password)) << password;
  }
  for (const std::string_view text :
       {"//h:/d?passfile=/a@b", "//h:1/d?passfile=/a@b", "//[::1],h:1/d?passfile=/a@b", "//u:p@h/d?passfile=/a@b"})
    EXPECT_TRUE(has(parsed(text), "passfile", "/a@b")) << text;
}

TEST(PostgresUrl, ResolvesItsAddressesOneByOne) {
  using Addresses = std::vector<postgres::ServerAddress>;
  EXPECT_EQ(postgres::server_addresses(parsed("//192.0.2.1,[2001:db8::7]:7000,no-such-host.invalid/d")),
            (Addresses{{"192.0.2.1", "", ""}, {"2001:db8::7", "", "7000"}, {"no-such-host.invalid", "", ""}}));
  EXPECT_EQ(postgres::server_addresses(parsed("//%2Frun%2Fpostgresql/d")), (Addresses{{"/run/postgresql", "", ""}}));
  const Addresses two = {{"a", "192.0.2.1", "1"}, {"a", "192.0.2.2", "1"}, {"b", "", "2"}};
  EXPECT_EQ(postgres::join(two, &postgres::ServerAddress::host), "a,a,b");
  EXPECT_EQ(postgres::join(two, &postgres::ServerAddress::address), "192.0.2.1,192.0.2.2,");
  EXPECT_EQ(postgres::join(two, &postgres::ServerAddress::port), "1,1,2");
}

TEST(PostgresUrl, IsRejectedInOneLineWithoutItsText) {
  const auto error = [](std::string_view text) {
    auto url = postgres::parse_url(text);
    return url ? "none: " + url->name : url.error();
  };
  const auto line = [](std::string_view what) {
    return "the store postgres: " + std::string(what) +
           ": postgres://[USER@]HOST[:PORT][,HOST...]/DATABASE[?NAME=VALUE&...]";
  };
  for (const std::string_view text : {"", "host", "/host"}) EXPECT_EQ(error(text), line("the host is missing")) << text;
  for (const std::string_view text : {"///d", "//bob@/d", "//h\n/d", "//ho st/d"}) {
    EXPECT_EQ(error(text), line("the host is missing or invalid")) << text;
  }
  for (const std::string_view text : {"//h:0/d", "//h:65536/d", "//h:a/d"}) {
    EXPECT_EQ(error(text), line("the port must be between 1 and 65535")) << text;
  }
  for (const std::string_view text :
       {"//bob:se/cret@h/d", "//bob:12/cret@h/d", "//bob:/secret@h:1/d?pool=4", "//bob:se/cret==@h/d",
        "//bob:se/cr?et@h/d", "//bob:se/cr?et=x@h/d", "//bob:p@ss/word@h/d", "//bob:p@ss/word@h/d?pool=4"}) {
    EXPECT_EQ(error(text), line("a / in the user or password must be written as %2F")) << text;
  }
  for (const std::string_view text : {"//bob:se?cret@h/d", "//bob:se?cr=et@h/d", "//bob:p@ss?word@h/d"}) {
    EXPECT_EQ(error(text), line("a ? in the user or password must be written as %3F")) << text;
  }
  EXPECT_EQ(error("//bob:se@cret@h/d"), line("an @ in the user or password must be written as %40"));
  for (const std::string_view text : {"//bob:100%@h/d", "//bob:%zz@h/d"}) {
    EXPECT_EQ(error(text), line("a % in the user or password must be written as %25")) << text;
  }
  for (const std::string_view text : {"//h", "//h/", "//h:1/?pool=9"}) {
    EXPECT_EQ(error(text), line("the database is missing")) << text;
  }
  for (const std::string_view text : {"//h/d@e", "//h/d/e"}) {
    EXPECT_EQ(error(text), line("the database name must not contain @ or /")) << text;
  }
  for (const auto& [text, shown] : {std::pair{"//h/d?password=secret", " password"},
                                    {"//h/d?options=-c%20x", " options"},
                                    {"//h/d?Table=a", " Table; did you mean table?"},
                                    {"//h/d?sslmod=require", " sslmod; did you mean sslmode?"},
                                    {"//h/d?host=i", " host"},
                                    {"//h/d?s3cret", ""}}) {
    EXPECT_EQ(error(text), line("unknown parameter" + std::string(shown) + " (docs/reference/stores.md lists them)"));
  }
  for (const std::string_view text :
       {"//h:1/d?passfile=/a@b&sslmod=require", "//bob:12?cret=x@h/d", "//bob:pa@ss?cret=x@h/d"}) {
    EXPECT_EQ(error(text),
              line("unknown parameter (docs/reference/stores.md lists them), or a ? in the user or password "
                   "that must be written as %3F"))
        << text;
  }
  for (const std::string_view text : {"//h/d?table=", "//h/d?table=A", "//h/d?table=a.b.c", "//h/d?table=1a",
                                      "//h/d?table=a;drop", "//h/d?table=a%20b", "//h/d?table"}) {
    EXPECT_EQ(error(text), line("table must be NAME or SCHEMA.NAME, of a-z, 0-9 and _")) << text;
  }
  for (const std::string_view text : {"//h/d?pool=3", "//h/d?pool=1001", "//h/d?pool=", "//h/d?pool=8x"}) {
    EXPECT_EQ(error(text), line("pool must be between 4 and 1000")) << text;
  }
  for (const std::string_view text : {"//h/d?connect_timeout=0", "//h/d?connect_timeout=11", "//h/d?connect_timeout=-1",
                                      "//h/d?connect_timeout=", "//h/d?connect_timeout=3s"}) {
    EXPECT_EQ(error(text), line("connect_timeout must be between 1 and 10 seconds")) << text;
  }
  setenv("PGCONNECT_TIMEOUT", "0", 1);
  EXPECT_EQ(error("//h/d"), "the store postgres: PGCONNECT_TIMEOUT must be between 1 and 10 seconds");
  setenv("PGCONNECT_TIMEOUT", "10", 1);
  EXPECT_EQ(error("//h/d"), "none: postgres://h:5432/d");
  unsetenv("PGCONNECT_TIMEOUT");
  for (const std::string_view text : {"//h/d%", "//h/d?sslmode=%4", "//[::1/d"}) {
    EXPECT_EQ(error(text), line("invalid URL")) << text;
  }
}

}  // namespace
}  // namespace portail
