// The suite over PostgreSQL and Valkey behind a slow proxy that forwards bytes one by one.
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/stores/conformance.hpp"
#include "tests/stores/postgres/postgres_server.hpp"
#include "tests/stores/process.hpp"
#include "tests/stores/redis/valkey_server.hpp"

namespace portail {
namespace {

class FaultyLine {
 public:
  explicit FaultyLine(std::uint16_t target)
      : proxy_({"python3", "-B", PORTAIL_FAULTS, std::to_string(target), "split"}),
        port_(static_cast<std::uint16_t>(std::stoi(proxy_.line()))) {}
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  Process proxy_;
  std::uint16_t port_;
};

std::unique_ptr<KeyValueStore> make_postgres_store() {
  static const FaultyLine line(shared_server().port);
  static int last = 0;
  const auto url = postgres::parse_url("//bob@127.0.0.1:" + std::to_string(line.port()) + "/postgres?pool=110&table=t" +
                                       std::to_string(++last));
  if (!url) ADD_FAILURE() << url.error();
  return url ? open_or_fail(*url) : nullptr;
}

std::unique_ptr<KeyValueStore> make_redis_store() {
  static const ValkeyServer server;
  static const FaultyLine line(server.url.port);
  EXPECT_EQ(server.cli({"flushall"}), "OK\n");
  redis::Url url = server.url;
  url.port = line.port();
  return open_or_fail(url);
}

constexpr std::array names = {"postgres", "redis"};
INSTANTIATE_TEST_SUITE_P(ThroughFaults, StoreConformance, testing::Values(make_postgres_store, make_redis_store),
                         [](const auto& parameter) { return names.at(parameter.index); });

}  // namespace
}  // namespace portail
