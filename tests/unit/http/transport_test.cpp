#include "core/http/transport.hpp"

#include <gtest/gtest.h>

#include "tests/unit/http/headers.hpp"

namespace portail {
namespace {

bool is_secure(std::initializer_list<HeaderView> headers) {
  const HeaderRequest with_headers(headers);
  Request request = with_headers;
  request.forwarding_trusted = true;
  return is_transport_secure(request, Transport::forwarded);
}

TEST(ForwardedTransport, IsSecureWhereTheOneProtoIsHttps) {
  for (const auto value : {"proto=https", "PROTO=HTTPS", "for=192.0.2.1;proto=https", "proto=\"https\";by=x",
                           "for=\"[2001:db8::1]:4711\" ; proto=https ;", "for=192.0.2.1:80;proto=https",
                           R"(for="a;b,c";proto=https)", R"(for="\";proto=http";proto=https)"}) {
    EXPECT_TRUE(is_secure({{"Forwarded", value}})) << value;
  }
}

TEST(ForwardedTransport, IsNotSecureOtherwise) {
  for (const auto value :
       {"", "for=192.0.2.1", "proto=http", "proto=", "proto", "proto=https, proto=https", "proto=https,",
        "proto=https;proto=https", "proto=https;proto=http", "proto=\"https", "proto=https\"", "proto=\"https\"x",
        "proto = https", R"(proto=https;for=", for=192.0.2.1;proto=http)",
        R"(proto=https;for=", for="[::1]:80";proto=http)", R"(proto=https;f"or=x, proto=http)",
        R"(proto=https;for="a\)"}) {
    EXPECT_FALSE(is_secure({{"Forwarded", value}})) << value;
  }
}

// The content of a quoted string may be from the client.
TEST(ForwardedTransport, IsNotFoundInAQuotedString) {
  for (const auto value :
       {R"(for="a;proto=https;b")", R"(for="a;proto=https)", R"(for="\";proto=https;")", R"(for=x";proto=https;")"}) {
    EXPECT_FALSE(is_secure({{"Forwarded", value}})) << value;
  }
}

TEST(ForwardedTransport, NeedsEachHeaderOnceAndThatTheyAgree) {
  EXPECT_TRUE(is_secure({{"X-Forwarded-Proto", "https"}}));
  EXPECT_TRUE(is_secure({{"X-Forwarded-Proto", "https"}, {"Forwarded", "proto=https"}}));
  EXPECT_FALSE(is_secure({{"X-Forwarded-Proto", "https"}, {"Forwarded", "proto=http"}}));
  EXPECT_FALSE(is_secure({{"X-Forwarded-Proto", "http"}, {"Forwarded", "proto=https"}}));
  EXPECT_FALSE(is_secure({{"X-Forwarded-Proto", "https, https"}}));
  EXPECT_FALSE(is_secure({{"X-Forwarded-Proto", "https"}, {"X-Forwarded-Proto", "https"}}));
  EXPECT_FALSE(is_secure({{"Forwarded", "proto=https"}, {"Forwarded", "proto=https"}}));
}

bool is_secure_or_local(std::initializer_list<HeaderView> headers) {
  const HeaderRequest with_headers(headers);
  Request request = with_headers;
  request.forwarding_trusted = true;
  return is_transport_secure(request, Transport::forwarded_or_loopback);
}

TEST(ForwardedOrLoopbackTransport, IsSecureToALoopbackHostWithoutAProxy) {
  for (const auto host : {"localhost", "LOCALHOST:3000", "127.0.0.1:3000", "127.1.2.3", "[::1]:3000"}) {
    EXPECT_TRUE(is_secure_or_local({{"Host", host}})) << host;
    EXPECT_FALSE(is_secure({{"Host", host}})) << host;
  }
  EXPECT_TRUE(is_secure_or_local({{"Host", "portal.example"}, {"X-Forwarded-Proto", "https"}}));
}

TEST(ForwardedOrLoopbackTransport, IsNotSecureOtherwise) {
  EXPECT_FALSE(is_secure_or_local({}));
  for (const auto host : {"", "portal.example", "localhost.example", "127.0.0.1.example", "127.1", "10.0.0.1",
                          "localhost@portal.example", "portal.example#localhost", "localhost/", "localhost, a"}) {
    EXPECT_FALSE(is_secure_or_local({{"Host", host}})) << host;
  }
  EXPECT_FALSE(is_secure_or_local({{"Host", "localhost"}, {"Host", "portal.example"}}));
  for (const auto name : {"X-Forwarded-For", "x-forwarded-host", "X-Real-IP", "Via", "Forwarded", "X-Forwarded-Proto",
                          "X-Forwarded-Server"}) {
    EXPECT_FALSE(is_secure_or_local({{"Host", "localhost"}, {name, "192.0.2.1"}})) << name;
  }
}

// A host that returns the scheme, and counts the queries.
struct SchemeHost {
  bool is_https = true;
  mutable int query_count = 0;

  static bool query(const void* host) {
    const auto& self = *static_cast<const SchemeHost*>(host);
    ++self.query_count;
    return self.is_https;
  }
};

bool is_secure(const SchemeHost& host, Transport transport, std::initializer_list<HeaderView> headers) {
  const HeaderRequest with_headers(headers);
  Request request = with_headers;
  request.forwarding_trusted = true;
  request.scheme_is_https = {SchemeHost::query, &host};
  return is_transport_secure(request, transport);
}

TEST(Transport, QueriesTheHostForTheSchemeOnlyIfNeeded) {
  const SchemeHost https;
  EXPECT_TRUE(is_secure(https, Transport::direct, {{"X-Forwarded-Proto", "http"}}));
  EXPECT_TRUE(is_secure(https, Transport::forwarded, {}));
  EXPECT_EQ(https.query_count, 2);

  const SchemeHost http{.is_https = false};
  EXPECT_FALSE(is_secure(http, Transport::direct, {{"X-Forwarded-Proto", "https"}}));
  EXPECT_FALSE(is_secure(http, Transport::forwarded, {}));
  EXPECT_EQ(http.query_count, 2);
}

TEST(Transport, DoesNotQueryTheHostOtherwise) {
  const SchemeHost http{.is_https = false};
  EXPECT_TRUE(is_secure(http, Transport::loopback, {}));
  EXPECT_TRUE(is_secure(http, Transport::forwarded, {{"X-Forwarded-Proto", "https"}}));
  EXPECT_TRUE(is_secure(http, Transport::forwarded, {{"Forwarded", "proto=https"}}));
  const SchemeHost https;
  EXPECT_FALSE(is_secure(https, Transport::forwarded, {{"X-Forwarded-Proto", "http"}}));
  EXPECT_EQ(http.query_count + https.query_count, 0);
}

}  // namespace
}  // namespace portail
