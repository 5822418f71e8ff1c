#include <gtest/gtest.h>

#include "native/keys/https_get.hpp"
#include "native/keys/remote_documents.hpp"

namespace portail::keys {
namespace {

std::string parts(std::string_view text) {
  const auto url = parse_https_url(text);
  return url ? url->host + ' ' + std::to_string(url->port) + ' ' + url->target : "none";
}

TEST(HttpsUrl, ParsesItsParts) {
  EXPECT_EQ(parts("https://issuer.example"), "issuer.example 443 /");
  EXPECT_EQ(parts("HTTPS://issuer.example:8443/keys?a=b/c:d"), "issuer.example 8443 /keys?a=b/c:d");
  EXPECT_EQ(parts("https://issuer.example?keys"), "issuer.example 443 /?keys");
  EXPECT_EQ(parts("https://[::1]:8443/keys"), "::1 8443 /keys");
  EXPECT_EQ(parts("https://[2001:db8::1]"), "2001:db8::1 443 /");
}

TEST(HttpsUrl, RejectsOtherText) {
  for (const char* text : {"",
                           "https",
                           "https://",
                           "https:///keys",
                           "http://issuer.example",
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

std::string jwks_uri(std::string_view discovery) {
  const auto uri = jwks_uri_of(discovery, "https://issuer.example/a");
  return uri ? *uri : "refused: " + uri.error();
}

TEST(Discovery, NamesTheKeySetOfTheIssuer) {
  EXPECT_EQ(jwks_uri(R"({"issuer":"https://issuer.example/a","jwks_uri":"https://keys.example/k","x":[{}]})"),
            "https://keys.example/k");
}

TEST(Discovery, RejectsInvalidDocuments) {
  EXPECT_EQ(jwks_uri("[]"), "refused: it is not a JSON object");
  EXPECT_EQ(jwks_uri(R"({"jwks_uri":"https://keys.example/k"})"), "refused: it names no issuer");
  for (const char* other : {"https://issuer.example/A", "https://issuer.example/a/", "https://issuer.example"}) {
    EXPECT_EQ(jwks_uri(std::string(R"({"issuer":")") + other + R"(","jwks_uri":"https://keys.example/k"})"),
              std::string("refused: its issuer is ") + other + ", not the --issuer");
  }
  EXPECT_EQ(jwks_uri(R"({"issuer":"https://issuer.example/a"})"), "refused: it has no jwks_uri");
  EXPECT_EQ(jwks_uri(R"({"issuer":"https://issuer.example/a","jwks_uri":"file:///etc/keys"})"),
            "refused: its jwks_uri is not an https URL: file:///etc/keys");
  EXPECT_EQ(
      jwks_uri(R"({"issuer":"https://issuer.example/a","issuer":"https://issuer.example/a","jwks_uri":"https://k"})"),
      "refused: it is not a JSON object");
}

}  // namespace
}  // namespace portail::keys
