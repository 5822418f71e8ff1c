#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/redis/redis_import_lock.hpp"
#include "tests/stores/process.hpp"
#include "tests/stores/redis/valkey_server.hpp"
#include "tests/stores/wait_until.hpp"

namespace portail {
namespace {

std::vector<std::string> helper(std::string command, const ValkeyServer& server, std::vector<std::string> more = {}) {
  std::vector<std::string> line = {PORTAIL_ENGINE_HELPER, std::move(command), server.url.name()};
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

TEST(RedisProcesses, LoseNoRacingSwap) {
  ValkeyServer server;
  Process first(helper("count", server, {"k", "500"}));
  Process second(helper("count", server, {"k", "500"}));
  EXPECT_EQ(first.wait(), 0);
  EXPECT_EQ(second.wait(), 0);
  EXPECT_EQ(server.cli({"get", "k"}), "1000\n");
}

TEST(RedisImportLock, ExcludesASecondImport) {
  ValkeyServer server;
  const std::string refused = "another import is running on " + server.url.name() +
                              ", or was killed less than half a minute ago: wait until it ends";
  {
    const auto held = redis::ImportLock::acquire(server.url);
    ASSERT_TRUE(held) << held.error();
    EXPECT_EQ(redis::ImportLock::acquire(server.url).error(), refused);
    EXPECT_EQ(server.cli({"keys", "*"}), "portail:import\n");
  }
  EXPECT_EQ(server.cli({"dbsize"}), "0\n");
  EXPECT_TRUE(redis::ImportLock::acquire(server.url));

  Process importing(helper("import", server));
  ASSERT_EQ(importing.line(), "importing");
  EXPECT_EQ(redis::ImportLock::acquire(server.url).error(), refused);
  importing.kill_and_wait();
  EXPECT_EQ(redis::ImportLock::acquire(server.url).error(), refused) << "until it expires";
  const long left = std::stol(server.cli({"pttl", "portail:import"}));
  EXPECT_GT(left, 0);
  EXPECT_LE(left, 30'000);
}

TEST(RedisImportLock, ExpiresAfterItsHolderDied) {
  ValkeyServer server;
  Process importing(helper("import", server, {"100"}));
  ASSERT_EQ(importing.line(), "importing");
  importing.kill_and_wait();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  auto acquired = redis::ImportLock::acquire(server.url);
  while (!acquired && std::chrono::steady_clock::now() < deadline) acquired = redis::ImportLock::acquire(server.url);
  EXPECT_TRUE(acquired) << acquired.error();
}

TEST(RedisImportLock, IsRenewedAsLongAsItIsHeld) {
  using std::chrono::hours, std::chrono::milliseconds;
  ValkeyServer server;
  const auto held = redis::ImportLock::acquire(
      server.url, {.expiry = hours(2), .renewal = milliseconds(50), .retry = milliseconds(50)});
  ASSERT_TRUE(held) << held.error();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(server.cli({"expire", "portail:import", "3600", "LT"}), "1\n");  // as if an hour had passed
    wait_until([&server] { return std::stol(server.cli({"ttl", "portail:import"})) > 3600; });
    EXPECT_FALSE(redis::ImportLock::acquire(server.url));
  }
}

TEST(RedisImportLock, DoesNotReleaseTheLockOfAnother) {
  ValkeyServer server;
  {
    const auto held = redis::ImportLock::acquire(server.url);
    ASSERT_TRUE(held) << held.error();
    ASSERT_EQ(server.cli({"set", "portail:import", "another"}), "OK\n");
  }
  EXPECT_EQ(server.cli({"get", "portail:import"}), "another\n");
}

TEST(RedisImportLock, IsLostIfItsKeyIsRemoved) {
  ValkeyServer server;
  auto held = redis::ImportLock::acquire(server.url);
  ASSERT_TRUE(held) << held.error();
  EXPECT_TRUE(held->is_held());
  ASSERT_EQ(server.cli({"del", "portail:import"}), "1\n");
  EXPECT_FALSE(held->is_held());
  EXPECT_EQ(server.cli({"exists", "portail:import"}), "0\n") << "another import may have held the lock since";
}

TEST(RedisImportLock, IsLostIfAnotherImportHoldsIt) {
  ValkeyServer server;
  auto held = redis::ImportLock::acquire(server.url);
  ASSERT_TRUE(held) << held.error();
  ASSERT_EQ(server.cli({"set", "portail:import", "another"}), "OK\n");
  EXPECT_FALSE(held->is_held());
  ASSERT_EQ(server.cli({"del", "portail:import"}), "1\n");
  EXPECT_FALSE(held->is_held()) << "for good";
}

TEST(RedisImportLock, OutlivesALostConnection) {
  ValkeyServer server;
  auto held = redis::ImportLock::acquire(server.url);
  ASSERT_TRUE(held) << held.error();
  ASSERT_EQ(server.cli({"client", "kill", "type", "normal"}), "1\n");
  EXPECT_TRUE(held->is_held());
}

// If the server does not respond, no write may begin that could end after the lock has expired.
TEST(RedisImportLock, CountsAsHeldWithoutAReplyUntilItCouldExpire) {
  using std::chrono::milliseconds, std::chrono::hours;
  for (const auto& [expiry, is_held] : {std::pair<milliseconds, bool>{9'000, false}, {hours(1), true}}) {
    ValkeyServer server;
    auto held = redis::ImportLock::acquire(server.url, {.expiry = expiry, .renewal = hours(1), .retry = hours(1)});
    ASSERT_TRUE(held) << held.error();
    ASSERT_TRUE(held->is_held());
    server.kill();
    EXPECT_EQ(held->is_held(), is_held) << expiry.count();
  }
}

TEST(RedisImportLock, ReportsAnUnreachableServer) {
  ValkeyServer server;
  server.kill();
  EXPECT_EQ(redis::ImportLock::acquire(server.url).error(),
            server.url.name() + " cannot be locked for an import: it cannot be reached: Connection refused");
}

}  // namespace
}  // namespace portail
