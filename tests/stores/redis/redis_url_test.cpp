#include "native/stores/redis/redis_url.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace portail {
namespace {

redis::Url parsed(std::string_view text) {
  auto url = redis::parse_url(text);
  if (!url) ADD_FAILURE() << text << ": " << url.error();
  return url.value_or(redis::Url{});
}

TEST(RedisUrl, HasDefaults) {
  const redis::Url url = parsed("//cache.example");
  EXPECT_EQ(url.host, "cache.example");
  EXPECT_EQ(url.port, 6379);
  EXPECT_EQ(url.database, 0u);
  EXPECT_EQ(url.user, "");
  EXPECT_EQ(url.password, "");
  EXPECT_EQ(url.name(), "redis://cache.example:6379/0");
}

TEST(RedisUrl, HasAllItsParts) {
  const redis::Url url = parsed("//bob:p%40ss%2Fw%C3%B6rd%25:x@10.0.0.1:7000/12");
  EXPECT_EQ(url.host, "10.0.0.1");
  EXPECT_EQ(url.port, 7000);
  EXPECT_EQ(url.database, 12u);
  EXPECT_EQ(url.user, "bob");
  EXPECT_EQ(url.password, "p@ss/wörd%:x");
  EXPECT_EQ(url.name(), "redis://10.0.0.1:7000/12");
}

TEST(RedisUrl, HasParameters) {
  EXPECT_EQ(parsed("//h").pool, 4U);
  EXPECT_EQ(parsed("//h?pool=1").pool, 1U);
  EXPECT_EQ(parsed("//h").replicas, 0U);
  EXPECT_EQ(parsed("//h?replicas=2&pool=2").replicas, 2U);
  EXPECT_EQ(parsed("//bob:builder@h:1/2?pool=1000").pool, 1000U);
  EXPECT_EQ(parsed("//bob:builder@h:1/2?pool=1000").name(), "redis://h:1/2");
}

TEST(RedisUrl, MayRequireTls) {
  const auto url =
      redis::parse_url("//bob:builder@h/1?sslrootcert=%2Fetc%2Fca.pem&sslcert=/c.pem&sslkey=/k.pem", {.tls = true});
  ASSERT_TRUE(url) << url.error();
  EXPECT_TRUE(url->tls);
  EXPECT_EQ(url->sslrootcert, "/etc/ca.pem");
  EXPECT_EQ(url->sslcert, "/c.pem");
  EXPECT_EQ(url->sslkey, "/k.pem");
  EXPECT_EQ(url->name(), "rediss://h:6379/1");
  EXPECT_FALSE(parsed("//h").tls);
  const auto error = [](std::string_view text) { return redis::parse_url(text, {.tls = true}).error(); };
  const std::string form = ": rediss://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?NAME=VALUE&...]";
  EXPECT_EQ(error("//h?sslrootcert="), "the store rediss: a TLS parameter must name a file" + form);
  EXPECT_EQ(error("//h?sslrootcert=%00"), "the store rediss: a TLS parameter must name a file" + form);
  EXPECT_EQ(error("//h?sslcert=/c.pem"), "the store rediss: sslcert and sslkey must be given together" + form);
}

TEST(RedisUrl, MayNameSentinels) {
  const auto url =
      redis::parse_url("//bob:p%2Cw@a.example,10.0.0.2:7000,[::1]:7001/por-tail.1_x/3?replicas=1", {.sentinels = true});
  ASSERT_TRUE(url) << url.error();
  EXPECT_EQ(url->sentinels,
            (std::vector<redis::Address>{{.host = "a.example", .port = 26379}, {"10.0.0.2", 7000}, {"::1", 7001}}));
  EXPECT_EQ(url->primary, "por-tail.1_x");
  EXPECT_EQ(url->database, 3U);
  EXPECT_EQ(url->user, "bob");
  EXPECT_EQ(url->password, "p,w");
  EXPECT_EQ(url->replicas, 1U);
  EXPECT_EQ(url->name(), "redis+sentinel://a.example:26379,10.0.0.2:7000,[::1]:7001/por-tail.1_x/3");
  const auto by_tls = redis::parse_url("//a/portal?sslrootcert=/ca.pem", {.tls = true, .sentinels = true});
  ASSERT_TRUE(by_tls) << by_tls.error();
  EXPECT_EQ(by_tls->name(), "rediss+sentinel://a:26379/portal/0");
  EXPECT_TRUE(redis::parse_url("//[::1]:1,b/portal?sslrootcert=/a@b", {.tls = true, .sentinels = true}));
}

TEST(RedisUrl, IsRejectedWithSentinelsInOneLineWithoutItsText) {
  const auto error = [](std::string_view text) {
    auto url = redis::parse_url(text, {.sentinels = true});
    return url ? "none" : url.error();
  };
  const auto line = [](std::string_view what) {
    return "the store redis+sentinel: " + std::string(what) +
           ": redis+sentinel://[USER:PASSWORD@]HOST[:PORT][,HOST[:PORT]...]/PRIMARY[/DATABASE][?NAME=VALUE&...]";
  };
  for (const std::string_view text : {"//", "///portal", "//a,/portal", "//,a/portal", "//u:secret@/portal"}) {
    EXPECT_EQ(error(text), line("the host is missing or invalid")) << text;
  }
  for (const std::string_view text : {"//a", "//a/", "//a//0", "//u:secret@a,b:1?replicas=1"}) {
    EXPECT_EQ(error(text), line("the name of the primary is missing")) << text;
  }
  for (const std::string_view text : {"//a/por%20tal", "//a/portal,b"}) {
    EXPECT_EQ(error(text), line("the name of the primary must have only letters, digits and -._")) << text;
  }
  for (const std::string_view text : {"//u:1/secret@a/portal", "//u:p@ss/word@a/portal"})
    EXPECT_EQ(error(text), line("a / in the user or password must be written as %2F")) << text;
  EXPECT_EQ(error("//a,b:0/portal"), line("the port must be between 1 and 65535"));
  EXPECT_EQ(error("//a/portal/secret"), line("the database must be a number"));
  EXPECT_EQ(error("//a/portal?sslrootcert=/ca.pem"), line("TLS files require rediss+sentinel:"));
}

TEST(RedisAddress, IsParsedFromTheReplyOfASentinel) {
  EXPECT_EQ(redis::make_address("10.0.0.1", "7000"), (redis::Address{"10.0.0.1", 7000}));
  EXPECT_EQ(redis::make_address("::1", "1"), (redis::Address{"::1", 1}));
  EXPECT_EQ((redis::Address{"::1", 1}.text()), "[::1]:1");
  for (const std::string_view host : {"", "a b", "a\n"}) EXPECT_EQ(redis::make_address(host, "1"), std::nullopt);
  for (const std::string_view port : {"", "0", "65536", "-1", "1 "})
    EXPECT_EQ(redis::make_address("a", port), std::nullopt);
}

TEST(RedisUrl, MayOmitTheUser) {
  const redis::Url url = parsed("//:secret@localhost/");
  EXPECT_EQ(url.user, "");
  EXPECT_EQ(url.password, "secret");
  EXPECT_EQ(url.host, "localhost");
}

TEST(RedisUrl, AcceptsOtherCharactersInAPassword) {
  for (const std::string_view password : {"p#w", "p:w", "p[w", "p]w", "[p]", "p w", "p@w"})
    EXPECT_EQ(parsed("//bob:" + std::string(password) + "@h").password, password);
}

TEST(RedisUrl, AcceptsAnIpv6AddressInBrackets) {
  EXPECT_EQ(parsed("//[::1]").host, "::1");
  EXPECT_EQ(parsed("//:p@[2001:db8::7]:7000/1").port, 7000);
  EXPECT_EQ(parsed("//[::1]:1/1").name(), "redis://[::1]:1/1");
}

TEST(RedisUrl, IsRejectedInOneLineWithoutItsText) {
  const auto error = [](std::string_view text) {
    auto url = redis::parse_url(text);
    return url ? "none" : url.error();
  };
  const auto line = [](std::string_view what) {
    return "the store redis: " + std::string(what) +
           ": redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE][?NAME=VALUE&...]";
  };
  for (const std::string_view text : {"", "host", "/host"}) EXPECT_EQ(error(text), line("the host is missing"));
  for (const std::string_view text : {"//", "///1", "//:6379", "//u:secret@", "//ho st", "//[::1", "//[]", "//h\n"}) {
    EXPECT_EQ(error(text), line("the host is missing or invalid")) << text;
  }
  for (const std::string_view text : {"//h:", "//h:0", "//h:65536", "//h:a", "//h:1:2", "//[::1]x", "//h:-1"}) {
    EXPECT_EQ(error(text), line("the port must be between 1 and 65535")) << text;
  }
  for (const std::string_view text : {"//u:se/cret@h", "//:12/cret@h/1", "//u:se/cret==@h", "//u:p@ss/word@h",
                                      "//u:p@ss/wo?rd@h", "//u:se/cr?et=x@h"}) {
    EXPECT_EQ(error(text), line("a / in the user or password must be written as %2F")) << text;
  }
  for (const std::string_view text : {"//u:se?cret@h", "//u:se?cr=et@h", "//u:p@ss?word@h"}) {
    EXPECT_EQ(error(text), line("a ? in the user or password must be written as %3F")) << text;
  }
  for (const std::string_view text : {"//h/a", "//h/1/2", "//h/-1", "//h/2147483648"}) {
    EXPECT_EQ(error(text), line("the database must be a number")) << text;
  }
  for (const std::string_view text : {"//h?pool=0", "//h?pool=1001", "//h/1?pool=", "//h?pool=4&pool=x"}) {
    EXPECT_EQ(error(text), line("pool must be between 1 and 1000")) << text;
  }
  EXPECT_EQ(error("//h?replicas=x"), line("replicas must be between 0 and 100"));
  EXPECT_EQ(error("//h?replicas=1&pool=1"), line("pool must be at least 2 if replicas is set"));
  EXPECT_EQ(error("//h?sslrootcert=/ca.pem"), line("TLS files require rediss:"));
  for (const auto& [text, shown] : {std::pair{"//h/1?x=y", " x"},
                                    {"//h?pool=4&", ""},
                                    {"//h?Pool=4", " Pool; did you mean pool?"},
                                    {"//h?replica=1", " replica; did you mean replicas?"}}) {
    EXPECT_EQ(error(text), line("unknown parameter" + std::string(shown) + " (docs/reference/stores.md lists them)"));
  }
  for (const std::string_view text : {"//u:12?cret=x@h", "//u:pa@ss?cret=x@h"}) {
    EXPECT_EQ(error(text),
              line("unknown parameter (docs/reference/stores.md lists them), or a ? in the user or password "
                   "that must be written as %3F"))
        << text;
  }
  for (const std::string_view text : {"//u@h", "//u:@h", "//@h", "//:@h"}) {
    EXPECT_EQ(error(text), line("the password is missing")) << text;
  }
  for (const std::string_view text : {"//u:%@h", "//u:%4@h", "//u:%4g@h", "//%-1:p@h"}) {
    EXPECT_EQ(error(text), line("a % in the user or password must be written as %25")) << text;
  }
}

}  // namespace
}  // namespace portail
