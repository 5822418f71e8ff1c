#include "core/http/url.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

std::string parts(std::string_view text) {
  const auto url = parse_url(text);
  return url ? (url->is_https ? "" : "http ") + url->host + ' ' + std::to_string(url->port) + ' ' + url->target
             : "none";
}

TEST(UrlTest, ParsesItsParts) {
  EXPECT_EQ(parts("https://issuer.example"), "issuer.example 443 /");
  EXPECT_EQ(parts("HTTPS://issuer.example:8443/keys?a=b/c:d"), "issuer.example 8443 /keys?a=b/c:d");
  EXPECT_EQ(parts("https://issuer.example?keys"), "issuer.example 443 /?keys");
  EXPECT_EQ(parts("https://[::1]:8443/keys"), "::1 8443 /keys");
  EXPECT_EQ(parts("https://[2001:db8::1]"), "2001:db8::1 443 /");
  EXPECT_EQ(parts("Http://issuer.example"), "http issuer.example 80 /");
  EXPECT_EQ(parts("http://127.0.0.1:8080/keys"), "http 127.0.0.1 8080 /keys");
  EXPECT_EQ(parse_url("https://Issuer.example:8443/keys")->authority, "Issuer.example:8443");
  EXPECT_EQ(parse_url("http://[::1]?keys")->authority, "[::1]");
}

TEST(UrlTest, RejectsOtherText) {
  for (const char* text : {"",
                           "https",
                           "https://",
                           "https:///keys",
                           "ftp://issuer.example",
                           "http:/issuer.example",
                           "https://user@issuer.example",
                           "https://user:word@issuer.example/",
                           "https://issuer.example/#keys",
                           "https://issuer.example/a b",
                           "https://issuer.example/\r\nX: y",
                           "https://issuer.example:",
                           "https://issuer.example:0",
                           "https://issuer.example:65536",
                           "https://issuer.example:8443x",
                           "https://issuer.example:+1",
                           "https://[::1",
                           "https://[::1]x",
                           "https://[]",
                           "https://issuer\\example",
                           "//issuer.example",
                           "https://\xc3\xa9.example"}) {
    EXPECT_EQ(parts(text), "none") << text;
  }
}

TEST(UrlTest, ParsesHttpsOnly) {
  EXPECT_TRUE(parse_https_url("https://issuer.example"));
  EXPECT_FALSE(parse_https_url("http://issuer.example"));
}

TEST(UrlTest, RecognisesLoopbackHosts) {
  for (const char* text : {"http://localhost", "http://LOCALHOST:80/", "http://127.0.0.1", "http://127.255.0.9:1/a",
                           "http://[::1]:8080"}) {
    EXPECT_TRUE(is_loopback(*parse_url(text))) << text;
  }
  for (const char* text :
       {"http://localhost.example", "http://127.0.0.1.example", "http://127.1", "http://0177.0.0.1",
        "http://127.0.0.01", "http://127.0.0.256", "http://127.0.0.1.", "http://127.0.0", "http://127.0.0.1.1",
        "http://2130706433", "http://0x7f.0.0.1", "http://10.0.0.1", "http://128.0.0.1", "http://169.254.169.254",
        "http://[::2]", "http://[::ffff:127.0.0.1]", "http://127.0.0.-1", "http://127..0.1"}) {
    const auto url = parse_url(text);
    ASSERT_TRUE(url) << text;
    EXPECT_FALSE(is_loopback(*url)) << text;
  }
}

}  // namespace
}  // namespace portail
