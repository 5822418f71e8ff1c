#include "core/auth/key_url.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

std::string jwks_uri(std::string_view discovery, Transport transport = Transport::direct) {
  const auto uri = jwks_uri_of(discovery, "https://issuer.example/a", transport);
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
              std::string("refused: its issuer is ") + other + ", not the configured one");
  }
  EXPECT_EQ(jwks_uri(R"({"issuer":"https://issuer.example/a"})"), "refused: it has no jwks_uri");
  EXPECT_EQ(jwks_uri(R"({"issuer":"https://issuer.example/a","jwks_uri":"file:///etc/keys"})"),
            "refused: its jwks_uri is not an https URL: file:///etc/keys");
  EXPECT_EQ(
      jwks_uri(R"({"issuer":"https://issuer.example/a","issuer":"https://issuer.example/a","jwks_uri":"https://k"})"),
      "refused: it is not a JSON object");
}

TEST(Discovery, NamesALoopbackAddressOnlyForATrial) {
  for (const char* uri : {"http://127.0.0.1:8080/keys", "http://localhost/keys"}) {
    const std::string text = std::string(R"({"issuer":"https://issuer.example/a","jwks_uri":")") + uri + "\"}";
    EXPECT_EQ(jwks_uri(text), std::string("refused: its jwks_uri is not an https URL: ") + uri);
    EXPECT_EQ(jwks_uri(text, Transport::forwarded), std::string("refused: its jwks_uri is not an https URL: ") + uri);
    EXPECT_EQ(jwks_uri(text, Transport::loopback), uri);
  }
  EXPECT_EQ(jwks_uri(R"({"issuer":"https://issuer.example/a","jwks_uri":"http://10.0.0.1/keys"})", Transport::loopback),
            "refused: its jwks_uri is not an https URL: http://10.0.0.1/keys");
}

std::string location(const std::optional<KeyLocation>& found) {
  return found ? (found->is_discovery ? "discovery " : "") + found->url : "none";
}

TEST(KeyLocationTest, IsAKeySetOrADiscoveryDocument) {
  EXPECT_EQ(location(key_location("https://a.example/keys", Transport::direct)), "https://a.example/keys");
  EXPECT_EQ(location(key_location("https://a.example/b/.well-known/openid-configuration", Transport::direct)),
            "discovery https://a.example/b/.well-known/openid-configuration");
  EXPECT_EQ(location(discovery_location("https://a.example/b/", Transport::direct)),
            "discovery https://a.example/b/.well-known/openid-configuration");
  EXPECT_EQ(location(discovery_location("https://a.example", Transport::forwarded)),
            "discovery https://a.example/.well-known/openid-configuration");
}

TEST(KeyLocationTest, RejectsWhatMayNotBeFetched) {
  for (const char* text : {"", "portail", "a.example", "https://a.example?b", "http://a.example", "http://127.0.0.1"}) {
    EXPECT_EQ(location(discovery_location(text, Transport::direct)), "none") << text;
  }
  EXPECT_EQ(location(key_location("http://127.0.0.1/keys", Transport::direct)), "none");
  EXPECT_EQ(location(key_location("http://127.0.0.1/keys", Transport::forwarded)), "none");
  EXPECT_EQ(location(key_location("http://127.0.0.1/keys", Transport::loopback)), "http://127.0.0.1/keys");
  EXPECT_EQ(key_location("http://127.0.0.1/keys", Transport::loopback)->transport, Transport::loopback);
  EXPECT_EQ(key_location("https://127.0.0.1/keys", Transport::loopback)->transport, Transport::direct);
  EXPECT_EQ(location(key_location("http://192.168.0.1/keys", Transport::loopback)), "none");
}

}  // namespace
}  // namespace portail
