#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/postgres/postgres_scheme.hpp"
#include "tests/stores/postgres/postgres_server.hpp"
#include "tests/stores/process.hpp"

namespace portail {
namespace {

std::vector<std::string> helper(std::string command, const std::string& table, std::vector<std::string> more = {}) {
  std::vector<std::string> line = {PORTAIL_ENGINE_HELPER, std::move(command),
                                   "postgres:" + shared_server().address("?table=" + table)};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

// The first process also creates the table.
TEST(PostgresProcesses, LoseNoRacingSwap) {
  std::vector<std::unique_ptr<Process>> processes;
  for (int i = 0; i < 4; ++i) {
    processes.push_back(std::make_unique<Process>(helper("count", "counted", {"k", "200"})));
  }
  for (auto& process : processes) EXPECT_EQ(process->wait(), 0);
  EXPECT_EQ(shared_server().sql("SELECT convert_from(value, 'UTF8') FROM counted"), "800\n");
}

TEST(PostgresImportLock, ExcludesASecondImport) {
  const PostgresServer& server = shared_server();
  open_or_fail(server.url("?table=imported"));
  open_or_fail(server.url("?table=another"));
  const postgres::Url url = server.url("?table=imported");
  const std::string refused = "another import is running on " + server.name() + ": wait until it ends";
  {
    auto held = postgres::ImportLock::acquire(url);
    ASSERT_TRUE(held) << held.error();
    EXPECT_TRUE(held->is_held());
    EXPECT_EQ(postgres::ImportLock::acquire(url).error(), refused);
    EXPECT_EQ(postgres::ImportLock::acquire(server.url("?table=public.imported")).error(), refused);
    EXPECT_TRUE(postgres::ImportLock::acquire(server.url("?table=another")));
  }
  for (int time = 0; time < 50; ++time) ASSERT_TRUE(postgres::ImportLock::acquire(url)) << "one after the other";
  Process importing(helper("import", "imported"));
  ASSERT_EQ(importing.line(), "importing");
  EXPECT_EQ(postgres::ImportLock::acquire(url).error(), refused);
  importing.kill_and_wait();
  wait_until([&url] { return postgres::ImportLock::acquire(url).has_value(); });
}

TEST(PostgresImportLock, IsLostWithItsConnection) {
  const PostgresServer& server = shared_server();
  open_or_fail(server.url("?table=unlocked"));
  auto held = postgres::ImportLock::acquire(server.url("?table=unlocked"));
  ASSERT_TRUE(held) << held.error();
  server.sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory'");
  EXPECT_FALSE(held->is_held());
  EXPECT_FALSE(held->is_held());
}

TEST(PostgresImportLock, ReportsAnUnreachableServer) {
  const auto url = postgres::parse_url("//bob@127.0.0.1:" + std::to_string(free_port()) + "/postgres");
  const std::string error = postgres::ImportLock::acquire(*url).error();
  EXPECT_TRUE(error.starts_with(url->name + " cannot be locked for an import: connection to server at ")) << error;
  EXPECT_TRUE(error.ends_with("failed: Connection refused")) << error;
}

}  // namespace
}  // namespace portail
