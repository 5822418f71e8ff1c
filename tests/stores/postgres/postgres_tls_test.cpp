#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "native/stores/postgres/postgres_connection.hpp"
#include "tests/stores/certificate.hpp"
#include "tests/stores/postgres/postgres_server.hpp"

namespace portail {
namespace {

void install_certificate(const PostgresServer& server, const std::string& name) {
  make_certificate(server.folder().string(), name);
  const std::string base = (server.folder() / name).string();
  server.make_readable(base + ".key");
  server.make_readable(base + ".pem");
}

// Makes the server use the certificate localhost.pem, and makes elsewhere.pem too. Returns the folder of both.
std::string enable_tls(const PostgresServer& server) {
  install_certificate(server, "localhost");
  install_certificate(server, "elsewhere");
  std::string base = server.folder().string();
  server.sql("ALTER SYSTEM SET ssl_cert_file = '" + base + "/localhost.pem'");
  server.sql("ALTER SYSTEM SET ssl_key_file = '" + base + "/localhost.key'");
  server.sql("ALTER SYSTEM SET ssl = on");
  server.sql("SELECT pg_reload_conf()");
  return base;
}

TEST(PostgresTls, AcceptsOnlyATrustedServerCertificate) {
  const PostgresServer server;
  const std::string base = enable_tls(server);
  const auto error = [&](const std::string& host, const std::string& certificate) {
    const auto url = postgres::parse_url("//bob@" + host + ":" + std::to_string(server.port) +
                                         "/postgres?sslmode=verify-full&sslrootcert=" + base + "/" + certificate);
    auto store = postgres::Store::open(*url, StoreAccess::create);
    if (!store) return store.error();
    EXPECT_TRUE(StoreClient(**store).put("k", "v"));
    return server.sql(
        "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
        " WHERE application_name = 'portail'");
  };
  wait_until([&error] { return !error("localhost", "localhost.pem").contains("does not support SSL"); });
  EXPECT_EQ(error("localhost", "localhost.pem"), "t\n");
  const auto ends = [&error](const std::string& host, const std::string& certificate, const std::string& end) {
    const std::string message = error(host, certificate);
    EXPECT_TRUE(message.ends_with(end)) << message;
    EXPECT_FALSE(message.contains('\n')) << message;
  };
  ends("127.0.0.1", "localhost.pem", " does not match host name \"127.0.0.1\"");
  ends("localhost", "elsewhere.pem", "SSL error: certificate verify failed");
  encrypt_key(base, "elsewhere");
  ends("localhost", "localhost.pem&sslcert=" + base + "/elsewhere.pem&sslkey=" + base + "/encrypted.key",
       ": the key that sslkey names is encrypted: it must have no password");
  ends("localhost", "nothing.pem", "or change sslmode to disable server certificate verification.");
}

// The home's owner is another user, whose file may be read by all or not.
TEST(PostgresTls, VerifiesByTheRootCertificatesOfAForeignHomeIfTheyCanBeRead) {
  const uid_t user = geteuid();
  if (user != 0) GTEST_SKIP() << "only root may give files to another user";
  const PostgresServer server;
  const std::string base = enable_tls(server);
  const TemporaryFolder home;
  const std::string file = (home.path() / ".postgresql/root.crt").string();
  std::filesystem::create_directories(home.path() / ".postgresql");
  std::filesystem::copy_file(base + "/elsewhere.pem", file);
  std::filesystem::permissions(home.path(), std::filesystem::perms(0755));
  EXPECT_EQ(chown(home.path().c_str(), 65533, 65533), 0);
  const std::string before = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("HOME", home.path().c_str(), 1);
  const auto error = [&](const std::string& mode, int permissions) {
    std::filesystem::permissions(file, std::filesystem::perms(permissions));
    EXPECT_EQ(seteuid(65534), 0);
    const auto opened = postgres::Connection::open(server.url("?sslmode=" + mode));
    EXPECT_EQ(seteuid(user), 0);
    return opened ? "none" : opened.error().message;
  };
  wait_until([&error] { return !error("require", 0600).contains("does not support SSL"); });
  EXPECT_EQ(error("require", 0600), "none");
  EXPECT_TRUE(error("require", 0644).ends_with("SSL error: certificate verify failed"));
  for (const std::string mode : {"verify-ca", "verify-full"}) {
    EXPECT_EQ(error(mode, 0600),
              "the root certificate file " + file + ", in HOME, is another user's and cannot be read; set sslrootcert");
  }
  setenv("HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace portail
