#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/redis/redis_connection.hpp"
#include "native/stores/redis/redis_scheme.hpp"
#include "native/stores/redis/redis_socket.hpp"
#include "native/stores/redis/redis_store.hpp"
#include "tests/stores/connections.hpp"
#include "tests/stores/redis/fake_redis_server.hpp"
#include "tests/stores/redis/valkey_server.hpp"
#include "tests/stores/wait_until.hpp"

namespace portail {
namespace {

constexpr std::unexpected corrupt(Failure::corrupt);
const std::string pong = "+PONG\r\n";
// The replies to redis::Store::open: a greeting, and reads of two keys and of one of them alone.
const FakeRedisServer::Answers opened = {pong, "*2\r\n$-1\r\n$-1\r\n$-1\r\n"};

FakeRedisServer::Answers after_opening(FakeRedisServer::Answers answers) {
  answers.insert(answers.begin(), opened.begin(), opened.end());
  return answers;
}

TEST(RedisFailures, DoNotOccurIfTheServerClosesAnIdleConnection) {
  ValkeyServer server;
  LoggedRedis store(server.url);
  ASSERT_TRUE(store.put("k", "1"));
  ASSERT_EQ(server.cli({"client", "kill", "type", "normal"}), "1\n");
  EXPECT_EQ(store.get("k"), "1");
  ASSERT_EQ(server.cli({"client", "kill", "type", "normal"}), "1\n");
  EXPECT_TRUE(store.put("k", "2"));
  ASSERT_EQ(server.cli({"client", "kill", "type", "normal"}), "1\n");
  EXPECT_EQ(store.swap("k", "2", "3"), true);
  EXPECT_TRUE(store.log.lines.empty());
}

TEST(RedisFailures, EndAfterTheServerRestarts) {
  ValkeyServer server;
  LoggedRedis store(server.url);
  ASSERT_TRUE(store.put("k", "1"));
  server.kill();
  EXPECT_EQ(store.get("k"), unavailable);
  EXPECT_EQ(store.put("k", "2"), unavailable);
  EXPECT_EQ(store.swap("k", "1", "2"), unavailable);
  EXPECT_EQ(store.scan(""), unavailable);
  const std::string why = server.url.name() + ": it cannot be reached: Connection refused";
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: a read failed: " + why})) << "one a minute";
  server.start();
  wait_until([&store] { return store.get("k").has_value(); });
  EXPECT_EQ(store.get("k"), std::nullopt) << "the server of this test keeps nothing";
  EXPECT_TRUE(store.put("k", "3"));
}

TEST(RedisFailures, DoNotReportALostAnswerIfNothingWasSent) {
  ValkeyServer server;
  LoggedRedis store(server.url);
  server.kill();
  EXPECT_EQ(store.put("k", "v"), unavailable);
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: a write failed: " + server.url.name() +
                                                       ": it cannot be reached: Connection refused"}));
}

TEST(RedisFailures, BoundTheLookupOfAName) {
  redis::Url url;
  url.host = "redis.silent.invalid";
  const auto connected = redis::Socket::connect(
      url, {.at = std::chrono::steady_clock::now() + std::chrono::milliseconds(100), .on_expiry = Failure::cancelled});
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().failure, Failure::cancelled);
  EXPECT_EQ(connected.error().message, "it cannot be reached: timed out");
}

// The kernel gives up 5 seconds after the first unacknowledged byte, before the call's deadline. The write was done.
TEST(RedisFailures, AreReportedIfSentBytesAreNotAcknowledged) {
  const ValkeyServer server;
  LoggedRedis store(server.url);
  ASSERT_TRUE(store.put("k", "1"));
  ASSERT_GT(lose_packets_from(server.url.port), 0U);
  EXPECT_TRUE(store.put("k", "2")) << "by another connection";
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: the answer to a write was lost: " + server.url.name() +
                                                       ": the connection was lost: Connection timed out"}));
}

TEST(RedisFailures, RetryAReadOnce) {
  FakeRedisServer server({after_opening({"*1\r\n$5\r\nhal"}), {pong, "*1\r\n$5\r\nwhole\r\n"}});
  LoggedRedis store(server.url);
  EXPECT_EQ(store.get("k"), "whole");
  EXPECT_TRUE(store.log.lines.empty());
}

TEST(RedisFailures, DoNotRetryAReadWithoutLimit) {
  FakeRedisServer server({after_opening({"*1\r\n$5\r\nhal"}), {pong, "*1\r\n$5\r\nhal"}, {pong, "*1\r\n$1\r\nv\r\n"}});
  LoggedRedis store(server.url);
  EXPECT_EQ(store.get("k"), unavailable);
  EXPECT_EQ(server.accepted(), 2);
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: a read failed: " + server.url.name() +
                                                       ": the connection was lost: the server ended it"}));
}

// The connection closes before the reply to a write; the test gives the answers on the next connection.
FakeRedisServer that_loses_an_answer(FakeRedisServer::Answers then) {
  then.insert(then.begin(), pong);
  return FakeRedisServer({after_opening({""}), std::move(then)});
}
const std::string no_value = "*1\r\n$-1\r\n";
const std::string value_v = "*1\r\n$1\r\nv\r\n";

TEST(RedisFailures, ReadTheResultOfAWriteWithALostAnswer) {
  FakeRedisServer server = that_loses_an_answer({value_v, ":1\r\n"});
  LoggedRedis store(server.url);
  EXPECT_TRUE(store.put("k", "v"));
  EXPECT_EQ(server.accepted(), 2);
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: the answer to a write was lost: " + server.url.name() +
                                                       ": the connection was lost: the server ended it"}));
}

TEST(RedisFailures, ReadTheResultOfASwapWithALostAnswer) {
  FakeRedisServer server = that_loses_an_answer({value_v, ":1\r\n"});
  LoggedRedis store(server.url);
  EXPECT_EQ(store.swap("k", "u", "v"), true);
}

// The write may still be done, so it is not repeated: that could overwrite a later write of another client.
TEST(RedisFailures, NeverRepeatAWrite) {
  FakeRedisServer server = that_loses_an_answer({no_value, "+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n"});
  LoggedRedis store(server.url);
  EXPECT_EQ(store.put("k", "v"), unavailable);
  EXPECT_TRUE(store.put("k", "v")) << "only one of two answers was read";
}

TEST(RedisFailures, NeverRepeatASwap) {
  FakeRedisServer server = that_loses_an_answer({no_value, ":1\r\n"});
  LoggedRedis store(server.url);
  EXPECT_EQ(store.swap("k", std::nullopt, "v"), unavailable);
  EXPECT_EQ(store.swap("k", std::nullopt, "v"), true);
}

// The write may have been done, followed by another: reporting a lost race would be as wrong as reporting success.
TEST(RedisFailures, DoNotReportASwapWithALostAnswerAsALostRace) {
  FakeRedisServer server = that_loses_an_answer({value_v});
  LoggedRedis store(server.url);
  EXPECT_EQ(store.swap("k", "t", "u"), unavailable);
}

TEST(RedisFailures, FailAWriteThatIsVisibleAndThenIsNot) {
  FakeRedisServer server = that_loses_an_answer({value_v, ":0\r\n"});
  LoggedRedis store(server.url);
  EXPECT_EQ(store.put("k", "v"), unavailable);
}

// A removal cannot be confirmed by a second write to the key.
TEST(RedisFailures, FailARemovalWithALostAnswer) {
  FakeRedisServer server = that_loses_an_answer({no_value});
  LoggedRedis store(server.url);
  const Change removal{"k", std::nullopt};
  EXPECT_EQ(run_ready(store.store->write(store.context, std::span(&removal, 1))), unavailable);
}

TEST(RedisFailures, AreReportedAtTheDeadline) {
  FakeRedisServer server({after_opening({std::nullopt}), {pong, std::nullopt}, {std::nullopt}});
  LoggedRedis store(server.url);
  store.context.deadline = {50'000};
  EXPECT_EQ(store.get("k"), cancelled);
  EXPECT_EQ(store.put("k", "v"), cancelled);
  EXPECT_EQ(store.swap("k", "v", "w"), cancelled);
  EXPECT_EQ(store.log.lines.front(), "store: a read failed: " + server.url.name() + ": timed out");
}

TEST(RedisFailures, DoNotWaitForAServerThatAcceptsAConnectionAndIsSilent) {
  EXPECT_EQ(redis::Connection::connect_timeout, std::chrono::seconds(2));
  FakeRedisServer server({{std::nullopt}});
  EXPECT_EQ(opening_error_of(server.url), server.url.name() + " cannot be used: timed out");
}

TEST(RedisFailures, NameTheErrorOfTheServer) {
  const auto detail_of = [](const std::string& error) {
    FakeRedisServer server({after_opening({"-" + error + "\r\n"})});
    LoggedRedis store(server.url);
    EXPECT_EQ(store.get("k"), unavailable);
    return store.log.lines.at(0).substr(("store: a read failed: " + server.url.name() + ": ").size());
  };
  EXPECT_EQ(detail_of("LOADING Redis is loading the dataset in memory"), "it is still loading its data (LOADING)");
  EXPECT_EQ(detail_of("MASTERDOWN Link with MASTER is down"), "it is a replica that has lost its primary (MASTERDOWN)");
  EXPECT_EQ(detail_of("MOVED 866 10.0.0.1:6379"),
            "it is part of a cluster, which spreads the keys: use one server that has them all (MOVED)");
  EXPECT_EQ(detail_of("ERR unknown command 'MGET', with args beginning with: 'utilisateur.jean'"),
            "it refused a command (ERR)");
  EXPECT_EQ(detail_of("nonsense"), "it refused a command (error)");
}

TEST(RedisFailures, OfAConnectionAreNoRefusedWrites) {
  const auto warnings_of = [](const redis::Url& url) {
    return redis::find_warnings<redis::Scheme{}>("//127.0.0.1:" + std::to_string(url.port)).size();
  };
  EXPECT_EQ(warnings_of({.user = "", .password = "", .host = "127.0.0.1", .port = free_port()}), 0U);
  const std::string loading = "-LOADING Redis is loading the dataset in memory\r\n";
  EXPECT_EQ(warnings_of(FakeRedisServer({{loading}, {loading}}).url), 0U);
  EXPECT_EQ(warnings_of(FakeRedisServer({{pong}, {loading}}).url), 0U);
}

TEST(RedisFailures, DoNotContainThePassword) {
  FakeRedisServer server({{"-ERR unknown command 'AUTH', with args beginning with: 'bob' 'builder'\r\n+PONG\r\n"}});
  server.url.user = "bob";
  server.url.password = "builder";
  EXPECT_EQ(opening_error_of(server.url), server.url.name() + " cannot be used: it refused a command (ERR)");
}

TEST(RedisFailures, ReportWhyAServerRejectsTheConnection) {
  ValkeyServer server({"--maxclients", "1"});
  auto first = open_or_fail(server.url);
  EXPECT_EQ(opening_error_of(server.url), server.url.name() + " cannot be used: it accepts no more connections (ERR)");
}

TEST(RedisFailures, ReportACluster) {
  const ValkeyServer server({"--cluster-enabled", "yes"});
  const std::string refused = server.url.name() +
                              " cannot be used: it is part of a cluster, which spreads the keys: "
                              "use one server that has them all ";
  EXPECT_EQ(opening_error_of(server.url), refused + "(CLUSTERDOWN)");
  ASSERT_EQ(server.cli({"cluster", "addslotsrange", "0", "16383"}), "OK\n");
  wait_until([&] { return opening_error_of(server.url) == refused + "(CROSSSLOT)"; });
}

TEST(RedisFailures, AreNotMistakenForData) {
  const std::string protocol_violation = "its reply violates the Redis protocol";
  const std::string larger = "its reply is larger than any to this command";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"HTTP/1.1 400 Bad Request\r\n\r\n", protocol_violation},
      {":1\r\n", protocol_violation},
      {"*0\r\n", protocol_violation},
      {"*1\r\n:1\r\n", protocol_violation},
      {"*1\r\n*0\r\n", protocol_violation},
      {"*2\r\n$1\r\na\r\n$1\r\nb\r\n", larger},
      {"*1048577\r\n", larger},
      {"*4294967295\r\n", larger},
  };
  for (const auto& [answer, why] : rows) {
    FakeRedisServer server({after_opening({answer})});
    LoggedRedis store(server.url);
    EXPECT_EQ(store.get("k"), unavailable) << answer;
    EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: a read failed: " + server.url.name() + ": " + why}));
  }
}

TEST(RedisFailures, AreNotMistakenForAScan) {
  for (const std::string answer : {"*2\r\n$1\r\n0\r\n$1\r\na\r\n", "*2\r\n$1\r\nx\r\n*0\r\n", "*2\r\n$0\r\n\r\n*0\r\n",
                                   "*2\r\n*0\r\n*0\r\n", "*1\r\n$1\r\n0\r\n", "$1\r\n0\r\n"}) {
    FakeRedisServer server({after_opening({answer})});
    LoggedRedis store(server.url);
    EXPECT_EQ(store.scan(""), unavailable) << answer;
    EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: a scan failed: " + server.url.name() +
                                                         ": its reply violates the Redis protocol"}));
  }
}

TEST(RedisFailures, AreNotMistakenForALostRace) {
  for (const std::string answer : {"+OK\r\n", "$1\r\n1\r\n", "$-1\r\n", "*0\r\n"}) {
    FakeRedisServer server({after_opening({answer})});
    LoggedRedis store(server.url);
    EXPECT_EQ(store.swap("k", "u", "v"), unavailable) << answer;
    EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: a write failed: " + server.url.name() +
                                                         ": its reply violates the Redis protocol"}));
  }
}

TEST(RedisFailures, AreNotMistakenForAWrite) {
  for (const std::string answer : {"*0\r\n", "*-1\r\n", "+OK\r\n"}) {
    FakeRedisServer server({after_opening({"+OK\r\n+QUEUED\r\n" + answer})});
    LoggedRedis store(server.url);
    EXPECT_EQ(store.put("k", "v"), unavailable) << answer;
  }
}

TEST(RedisFailures, ReportAKeyThatIsNotAString) {
  ValkeyServer server;
  LoggedRedis store(server.url);
  ASSERT_EQ(server.cli({"rpush", "list", "a"}), "1\n");
  EXPECT_EQ(store.get("list"), std::nullopt) << "MGET returns nil for it";
  EXPECT_EQ(store.swap("list", std::nullopt, "v"), corrupt);
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{"store: a write failed: " + server.url.name() +
                                                       ": a key of the portal is not a string (WRONGTYPE)"}));
  EXPECT_EQ(server.cli({"lrange", "list", "0", "-1"}), "a\n");
}

TEST(RedisFailures, ChangeNothingIfTheServerIsFull) {
  ValkeyServer server;
  LoggedRedis store(server.url);
  ASSERT_TRUE(store.put("k", "kept"));
  ASSERT_EQ(server.cli({"config", "set", "maxmemory", "1"}), "OK\n");
  EXPECT_EQ(store.put("k", "new"), unavailable);
  EXPECT_EQ(store.swap("k", "kept", "new"), unavailable);
  EXPECT_EQ(store.get("k"), "kept");
  const std::string line = "store: a write failed: " + server.url.name() + ": it has no memory left (OOM)";
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{line}));
  ASSERT_EQ(server.cli({"config", "set", "maxmemory", "0"}), "OK\n");
  EXPECT_TRUE(store.put("k", "new"));
}

TEST(RedisFailures, ReportAReadOnlyReplica) {
  ValkeyServer server;
  LoggedRedis store(server.url);
  ASSERT_TRUE(store.put("k", "kept"));
  ASSERT_EQ(server.cli({"replicaof", "127.0.0.1", std::to_string(free_port())}), "OK\n");
  EXPECT_EQ(store.put("k", "new"), unavailable);
  EXPECT_EQ(store.swap("k", "kept", "new"), unavailable);
  EXPECT_EQ(store.get("k"), "kept");
  const std::string line =
      "store: a write failed: " + server.url.name() + ": it is a replica: only the primary takes writes (READONLY)";
  EXPECT_EQ(store.log.lines, (std::vector<std::string>{line}));
}

}  // namespace
}  // namespace portail
