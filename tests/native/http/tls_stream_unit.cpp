// Limits on what a peer can send under TLS besides application data.
#include <gmock/gmock.h>

#include "tests/native/support/tls_client.hpp"

namespace portail {
namespace {

using ::testing::Gt;
using ::testing::Le;

constexpr std::size_t max_read_per_call = 32 * 1024;

class TlsStreamTest : public ::testing::Test {
 protected:
  const TlsContext context_ = server_context();
};

// Writes `count` key updates.
void flood(TlsPair& pair, int count) {
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(SSL_key_update(pair.client(), SSL_KEY_UPDATE_NOT_REQUESTED), 1);
    ASSERT_EQ(SSL_do_handshake(pair.client()), 1);
  }
}

std::string read_once(TlsPair& pair) {
  pair.deliver();
  std::array<char, 4096> into;
  const auto count = pair.server.read(into);
  if (!count) return count.error() == StreamStatus::closed ? "(ended)" : "(waits)";
  return {into.data(), *count};
}

TEST_F(TlsStreamTest, OneCallReadsALimitedPartOfAFlood) {
  TlsPair pair(context_);
  ASSERT_TRUE(pair.handshake());
  flood(pair, 2000);
  pair.deliver();
  const std::size_t before = pair.unread();
  ASSERT_THAT(before, Gt(max_read_per_call));
  EXPECT_EQ(read_once(pair), "(waits)");
  EXPECT_EQ(before - pair.unread(), max_read_per_call);
}

TEST_F(TlsStreamTest, AFloodOfKeyUpdatesEndsTheConnection) {
  TlsPair pair(context_);
  ASSERT_TRUE(pair.handshake());
  flood(pair, 3000);
  EXPECT_EQ(read_once(pair), "(waits)");
  EXPECT_EQ(read_once(pair), "(ended)");
}

TEST_F(TlsStreamTest, KeyUpdatesBesideApplicationDataAreAccepted) {
  TlsPair pair(context_);
  ASSERT_TRUE(pair.handshake());
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(SSL_key_update(pair.client(), SSL_KEY_UPDATE_REQUESTED), 1);
    ASSERT_EQ(SSL_write(pair.client(), "ping", 4), 4);
    ASSERT_EQ(read_once(pair), "ping") << i;
    ASSERT_EQ(pair.server.write("pong"), 4u);
    std::array<char, 16> answer;
    ASSERT_EQ(SSL_read(pair.client(), answer.data(), answer.size()), 4);
  }
}

TEST_F(TlsStreamTest, ApplicationDataMayArriveByteByByte) {
  TlsPair pair(context_);
  ASSERT_TRUE(pair.handshake());
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(SSL_write(pair.client(), "x", 1), 1);
    ASSERT_EQ(read_once(pair), "x") << i;
  }
}

TEST_F(TlsStreamTest, RefusedRenegotiationsEndTheConnection) {
  TlsPair pair(context_, TLS1_2_VERSION);
  ASSERT_TRUE(pair.handshake());
  std::string last = "(waits)";
  int attempts = 0;
  for (; attempts < 1000 && last == "(waits)"; ++attempts) {
    if (SSL_renegotiate(pair.client()) != 1 || SSL_do_handshake(pair.client()) == 0) break;
    last = read_once(pair);
  }
  EXPECT_THAT(attempts, Le(300));
}

TEST_F(TlsStreamTest, OnlySuitesWithForwardSecrecyAreAgreedOn) {
  for (const char* suites :
       {"AES128-SHA", "AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384"}) {
    EXPECT_FALSE(TlsPair(context_, TLS1_2_VERSION, suites).handshake()) << suites;
  }
  for (const char* suites : {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"}) {
    EXPECT_TRUE(TlsPair(context_, TLS1_2_VERSION, suites).handshake()) << suites;
  }
}

TEST_F(TlsStreamTest, OnlyTls12AndLaterAreAgreedOn) {
  EXPECT_FALSE(TlsPair(context_, TLS1_VERSION).handshake());
  EXPECT_FALSE(TlsPair(context_, TLS1_1_VERSION).handshake());
  EXPECT_TRUE(TlsPair(context_, TLS1_2_VERSION).handshake());
  EXPECT_TRUE(TlsPair(context_, TLS1_3_VERSION).handshake());
}

TEST_F(TlsStreamTest, TheLatestVersionIsPreferred) {
  TlsPair pair(context_, TLS1_2_VERSION);
  SSL_set_max_proto_version(pair.client(), TLS1_3_VERSION);
  ASSERT_TRUE(pair.handshake());
  EXPECT_EQ(SSL_version(pair.client()), TLS1_3_VERSION);
}

TEST_F(TlsStreamTest, TheServersOrderOfSuitesApplies) {
  TlsPair pair(context_, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384");
  ASSERT_TRUE(pair.handshake());
  EXPECT_STREQ(SSL_get_cipher_name(pair.client()), "ECDHE-ECDSA-AES256-GCM-SHA384");
  TlsPair later(context_, TLS1_3_VERSION);
  SSL_set_ciphersuites(later.client(), "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384");
  ASSERT_TRUE(later.handshake());
  EXPECT_STREQ(SSL_get_cipher_name(later.client()), "TLS_AES_256_GCM_SHA384");
}

TEST_F(TlsStreamTest, PlainHttpIsAnsweredWithoutTls) {
  TlsPair pair(context_);
  const std::string_view request = "GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n";
  ASSERT_EQ(send(pair.client_socket(), request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  EXPECT_EQ(pair.server.open().error(), StreamStatus::plain_http);
  EXPECT_EQ(pair.server.write("no"), 2u);
  std::array<char, 16> answer;
  ASSERT_EQ(recv(pair.client_socket(), answer.data(), answer.size(), 0), 2);
}

TEST_F(TlsStreamTest, OtherProtocolsEndTheConnection) {
  TlsPair pair(context_);
  ASSERT_EQ(send(pair.client_socket(), "\x16\x03\x01\xff\xff nonsense", 14, 0), 14);
  EXPECT_EQ(pair.server.open().error(), StreamStatus::closed);
}

}  // namespace
}  // namespace portail
