#include <string>

#include <gtest/gtest.h>

#include "tests/stores/certificate.hpp"
#include "tests/stores/postgres/postgres_of_a_test.hpp"

namespace portail {
namespace {

void give_certificate(const PostgresServer& server, const std::string& name) {
  make_certificate(server.folder().string(), name);
  const std::string base = (server.folder() / name).string();
  server.make_readable(base + ".key");
  server.make_readable(base + ".pem");
}

TEST(PostgresTls, TakesOnlyTheServerWhoseCertificateItKnows) {
  const PostgresServer server;
  give_certificate(server, "localhost");
  give_certificate(server, "elsewhere");
  const std::string base = server.folder().string();
  server.sql("ALTER SYSTEM SET ssl_cert_file = '" + base + "/localhost.pem'");
  server.sql("ALTER SYSTEM SET ssl_key_file = '" + base + "/localhost.key'");
  server.sql("ALTER SYSTEM SET ssl = on");
  server.sql("SELECT pg_reload_conf()");
  const auto error = [&](const std::string& host, const std::string& certificate) {
    const auto url = parse_postgres_url("//bob@" + host + ":" + std::to_string(server.port) +
                                        "/postgres?sslmode=verify-full&sslrootcert=" + base + "/" + certificate);
    auto store = PostgresStore::open(*url, StoreAccess::create);
    if (!store) return store.error();
    EXPECT_TRUE(StoreClient(**store).put("k", "v"));
    return server.sql(
        "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
        " WHERE application_name = 'portail'");
  };
  wait_until([&error] { return !error("localhost", "localhost.pem").contains("does not support SSL"); });
  EXPECT_EQ(error("localhost", "localhost.pem"), "t\n");
  const auto ends = [&error](const std::string& host, const std::string& certificate, const std::string& end) {
    const std::string said = error(host, certificate);
    EXPECT_TRUE(said.ends_with(end)) << said;
    EXPECT_FALSE(said.contains('\n')) << said;
  };
  ends("127.0.0.1", "localhost.pem", " does not match host name \"127.0.0.1\"");
  ends("localhost", "elsewhere.pem", "SSL error: certificate verify failed");
  encrypt_key(base, "elsewhere");
  ends("localhost", "localhost.pem&sslcert=" + base + "/elsewhere.pem&sslkey=" + base + "/encrypted.key",
       ": the key that sslkey names is encrypted: it must have no password");
  ends("localhost", "nothing.pem", "or change sslmode to disable server certificate verification.");
}

}  // namespace
}  // namespace portail
