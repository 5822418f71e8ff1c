#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/redis/redis_import_lock.hpp"
#include "tests/stores/certificate.hpp"
#include "tests/stores/redis/valkey_server.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds;

// A server that accepts TLS only, and a folder with certificates for "localhost" (its own) and "elsewhere".
class TlsServer {
 public:
  explicit TlsServer(const std::string& auth_clients) : server_(settings(auth_clients)) {}

  // Returns the error of opening a store, or "works".
  std::string outcome(const std::string& host, const std::string& query) {
    const auto url = redis::parse_url("//" + host + ":" + std::to_string(server_.url.port) + query, {.tls = true});
    if (!url) return url.error();
    auto store = redis::Store::open(*url);
    if (!store) return store.error();
    StoreClient client(**store);
    const std::string large(200'000, 'x');
    EXPECT_TRUE(client.write({{"a", large}, {"b", large}, {"k", "v"}}));
    EXPECT_EQ(client.scan(""), (std::vector<std::string>{"a=" + large, "b=" + large, "k=v"}));
    EXPECT_EQ(client.swap("k", "v", large), true);
    EXPECT_TRUE(redis::ImportLock::acquire(*url));
    return "works";
  }
  [[nodiscard]] std::string refused(const std::string& host, const std::string& why) const {
    return "rediss://" + host + ":" + std::to_string(server_.url.port) + "/0 cannot be used: " + why;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] std::string folder() const { return folder_.path().string(); }
  [[nodiscard]] redis::Url without_tls() const { return server_.url; }

 private:
  std::vector<std::string> settings(const std::string& auth_clients) {
    make_certificate(folder_.path().string(), "localhost");
    make_certificate(folder_.path().string(), "elsewhere");
    return {"--port",
            "0",
            "--tls-port",
            "{port}",
            "--tls-cert-file",
            file("localhost.pem"),
            "--tls-key-file",
            file("localhost.key"),
            "--tls-ca-cert-file",
            file("elsewhere.pem"),
            "--tls-auth-clients",
            auth_clients};
  }

  TemporaryFolder folder_;
  ValkeyServer server_;
};

TEST(RedisTls, AcceptsOnlyATrustedServerCertificate) {
  TlsServer server("no");
  const std::string known = "?sslrootcert=" + server.file("localhost.pem");
  EXPECT_EQ(server.outcome("localhost", known), "works");
  const std::string not_accepted = "TLS fails: its certificate is not accepted: ";
  EXPECT_EQ(server.outcome("127.0.0.1", known), server.refused("127.0.0.1", not_accepted + "IP address mismatch"));
  EXPECT_EQ(server.outcome("localhost", "?sslrootcert=" + server.file("elsewhere.pem")),
            server.refused("localhost", not_accepted + "self-signed certificate"));
  EXPECT_EQ(server.outcome("localhost", ""), server.refused("localhost", not_accepted + "self-signed certificate"));
  EXPECT_EQ(server.outcome("localhost", "?sslrootcert=" + server.file("nothing.pem")),
            server.refused("localhost", "TLS fails: the file that sslrootcert names: No such file or directory"));
}

TEST(RedisTls, SendsTheClientCertificateOnRequest) {
  TlsServer server("yes");
  const std::string known = "?sslrootcert=" + server.file("localhost.pem");
  EXPECT_EQ(server.outcome("localhost", known + "&sslcert=" + server.file("elsewhere.pem") +
                                            "&sslkey=" + server.file("elsewhere.key")),
            "works");
  EXPECT_EQ(server.outcome("localhost", known),
            server.refused("localhost", "the connection was lost: tlsv13 alert certificate required"));
  encrypt_key(server.folder(), "elsewhere");
  EXPECT_EQ(server.outcome("localhost", known + "&sslcert=" + server.file("elsewhere.pem") +
                                            "&sslkey=" + server.file("encrypted.key")),
            server.refused("localhost", "TLS fails: the key that sslkey names is encrypted: it must have no password"));
}

TEST(RedisTls, ReportsAPeerWithoutTls) {
  const TlsServer server("no");
  const std::string error = opening_error_of(server.without_tls());
  EXPECT_TRUE(error.starts_with(server.without_tls().name() + " cannot be used: the connection was lost: ")) << error;
  const ValkeyServer plain;
  redis::Url url = plain.url;
  url.tls = true;
  const auto opened = redis::Connection::open(url, {.at = std::chrono::steady_clock::now() + milliseconds(100)});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, "TLS fails: timed out") << "such a server waits for the end of a line";
}

}  // namespace
}  // namespace portail
