#include "core/http/cors.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/http/headers.hpp"

namespace portail {
namespace {

// Allowed origins for tests: valid ones, then invalid ones that must match nothing.
const std::vector<std::string> listed_origins{"https://portal.example.com",
                                              "http://localhost:4200",
                                              "https://*.banque.fr",
                                              "https://*.pre.fr:8443",
                                              "*",
                                              "null",
                                              "https://*",
                                              "http://*.clear.fr"};

TEST(AllowedOrigins, MatchExactly) {
  EXPECT_TRUE(is_allowed_origin("https://portal.example.com", listed_origins));
  EXPECT_TRUE(is_allowed_origin("http://localhost:4200", listed_origins));
  for (const auto origin : {"http://portal.example.com", "https://portal.example.com:444", "https://example.com",
                            "https://portal.example.com.evil.fr", "https://Portal.example.com",
                            "https://portal.example.com/", "http://localhost", "http://localhost:42000", "", "null",
                            "*", "https://*", "https://", "http://a.clear.fr", "http://*.clear.fr"}) {
    EXPECT_FALSE(is_allowed_origin(origin, listed_origins)) << origin;
  }
}

TEST(AllowedOrigins, MatchHostsBelowADomain) {
  EXPECT_TRUE(is_allowed_origin("https://a.banque.fr", listed_origins));
  EXPECT_TRUE(is_allowed_origin("https://a.b-2.banque.fr", listed_origins));
  EXPECT_TRUE(is_allowed_origin("https://a.pre.fr:8443", listed_origins));
  for (const auto origin :
       {"https://banque.fr", "https://.banque.fr", "https://evilbanque.fr", "http://a.banque.fr",
        "https://a.banque.fr:8443", "https://a.pre.fr", "https://a.banque.fr.evil.fr", "https://evil.fr/.banque.fr",
        "https://evil.fr#.banque.fr", "https://evil.fr?.banque.fr", "https://evil.fr:1.banque.fr",
        "https://u@a.banque.fr", "https://a..banque.fr", "https://*.banque.fr", "https://A.banque.fr",
        "https://a b.banque.fr", "https://\xc3\xa9.banque.fr"}) {
    EXPECT_FALSE(is_allowed_origin(origin, listed_origins)) << origin;
  }
}

TEST(OriginSettings, AreOriginsOrOneWildcard) {
  for (const auto setting : {"https://a.fr", "http://localhost:4200", "https://*.a.fr", "https://*.a.fr:8443",
                             "http://[::1]:4200", "capacitor://localhost"}) {
    EXPECT_TRUE(is_origin_setting(setting)) << setting;
  }
  for (const auto setting :
       {"", "*", "null", "https://*", "https://*.", "http://*.a.fr", "https://a.*.fr", "https://a.fr/",
        "https://a.fr/x", "a.fr", "https://A.fr", "https://a.fr:", "https://a.fr:x", "https://*.*.fr", "https://u@a.fr",
        "://a.fr", "https://a.fr,https://b.fr"}) {
    EXPECT_FALSE(is_origin_setting(setting)) << setting;
  }
}

// As the URL standard serializes them.
TEST(OriginSettings, MayHaveAnAddressAsBrowsersWriteIt) {
  for (const auto setting :
       {"https://127.0.0.1", "http://192.0.2.7:8080", "https://[::1]", "https://[::]", "https://[1::]",
        "https://[2001:db8::1]", "https://[2001:db8:0:1::1]:8443", "https://[1:0:0:2::3]", "https://[1::2:0:0:3:4]",
        "https://[1:2:3:4:5:6:7:8]", "https://[1:0:3:4:5:6:7:8]", "https://[::ffff:c000:207]",
        "https://1.portal.example", "https://0x.example"}) {
    EXPECT_TRUE(is_origin_setting(setting)) << setting;
  }
  for (const auto setting : {"https://127.1",
                             "https://127.0.0.01",
                             "https://0x7f.0.0.1",
                             "https://256.0.0.1",
                             "https://1.2.3.4.5",
                             "https://portal.1",
                             "https://portal.0x1f",
                             "https://[::0]",
                             "https://[0:0:0:0:0:0:0:1]",
                             "https://[::01]",
                             "https://[2001:DB8::1]",
                             "https://[2001:db8::0:1]",
                             "https://[1::3:4:5:6:7:8]",
                             "https://[1::2::3]",
                             "https://[::192.0.2.7]",
                             "https://[::ffff:192.0.2.7]",
                             "https://[fe80::1%eth0]",
                             "https://[]",
                             "https://[:]",
                             "https://[:::]",
                             "https://[1:2:3:4:5:6:7]",
                             "https://[1:2:3:4:5:6:7:8:9]",
                             "https://[1:2:3:4:5:6:7:8:]",
                             "https://[:1:2:3:4:5:6:7:8]",
                             "https://[12345::]",
                             "https://[g::]",
                             "https://[::1",
                             "https://::1]",
                             "https://::1"}) {
    EXPECT_FALSE(is_origin_setting(setting)) << setting;
  }
}

TEST(OriginSettings, ThatNoBrowserSendsAreInvalid) {
  for (const auto setting : {"https://Portal.example",
                             "HTTPS://portal.example",
                             "Https://portal.example",
                             "https://portal.example.",
                             "https://.portal.example",
                             "https://portal..example",
                             "https://p\xc3\xb6rtal.example",
                             "https://portal.example ",
                             " https://portal.example",
                             "https://user@portal.example",
                             "https://user:secret@portal.example",
                             "https://portal.example?",
                             "https://portal.example#",
                             "https:///",
                             "https:portal.example",
                             "https:/portal.example",
                             "file://portal.example",
                             "ws://portal.example",
                             "wss://portal.example",
                             "1https://portal.example",
                             "https://*.Example",
                             "https://*.example.",
                             "https://*..example",
                             "https://*.[::1]",
                             "https://*.127.0.0.1",
                             "https://*.p\xc3\xb6rtal.example",
                             "https://*.user@portal.example",
                             "https://*portal.example"}) {
    EXPECT_FALSE(is_origin_setting(setting)) << setting;
  }
}

TEST(OriginSettings, NameAPortOnlyWhereBrowsersDo) {
  for (const auto setting : {"https://a.fr:80", "http://a.fr:443", "https://a.fr:1", "https://a.fr:65535",
                             "https://[::1]:8443", "capacitor://a:443", "https://*.a.fr:80"}) {
    EXPECT_TRUE(is_origin_setting(setting)) << setting;
  }
  for (const auto setting : {"https://a.fr:443", "http://a.fr:80", "https://[::1]:443", "https://*.a.fr:443",
                             "https://a.fr:0", "https://a.fr:08443", "https://a.fr:65536", "https://a.fr:4294967739",
                             "https://a.fr:+8443", "https://a.fr:-1", "https://*.a.fr:", "https://[::1]:"}) {
    EXPECT_FALSE(is_origin_setting(setting)) << setting;
  }
}

// Otherwise a setting could be accepted at startup and never match.
TEST(OriginSettings, EachMatchItselfOrAHostBelow) {
  for (const std::string setting : {"https://portal.example", "http://localhost:4200", "https://[::1]:8443",
                                    "http://127.0.0.1:4200", "capacitor://localhost"}) {
    EXPECT_TRUE(is_allowed_origin(setting, {&setting, 1})) << setting;
  }
  const std::string domain = "https://*.portal.example:8443";
  EXPECT_TRUE(is_allowed_origin("https://a.portal.example:8443", {&domain, 1}));
}

TEST(Preflight, RequiresItsMethodAndHeaders) {
  const auto is_preflight = [](std::string_view method, std::initializer_list<HeaderView> headers) {
    return preflight_answer(HeaderRequest(method, headers), listed_origins).has_value();
  };
  const HeaderView origin{"Origin", "http://localhost:4200"};
  const HeaderView put_method{"Access-Control-Request-Method", "PUT"};
  EXPECT_TRUE(is_preflight("OPTIONS", {origin, put_method}));
  EXPECT_FALSE(is_preflight("GET", {origin, put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {origin}));
  EXPECT_FALSE(is_preflight("OPTIONS", {put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {origin, origin, put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {{"Origin", "https://evil.fr"}, put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {{"Origin", "null"}, put_method}));
  EXPECT_FALSE(is_preflight("OPTIONS", {origin, {"Access-Control-Request-Method", "P\r\nX: y"}}));
}

}  // namespace
}  // namespace portail
