// Counts the store accesses of each route: at most three batches, whatever the length of a list, and never a scan.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "core/storage/memory_store.hpp"
#include "tests/simulation/small_portal.hpp"
#include "tests/support/counting_store.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {
namespace {

struct Counted {
  int status;
  int batches;
  int writes;  // compare-and-swaps included
};

class Batches : public testing::Test {
 protected:
  Counted count(const RouteRequest& request) {
    counting_.calls = {};
    const Answer answer = send(service_, request);
    EXPECT_EQ(counting_.calls.scans, 0) << request.name;
    return {answer.status, counting_.calls.batches, counting_.calls.writes + counting_.calls.swaps};
  }

  MemoryStore memory_;
  CountingStore counting_{memory_};
  Service service_{small_portal_settings(), test_key_set(), counting_};
};

TEST_F(Batches, AreFewOnEveryRoute) {
  import_small_portal(memory_, 3);
  // The consultation is read and written after the answer is built: the bundle's third batch.
  const std::map<std::string, Counted> expected{
      {"page", {200, 1, 0}},
      {"list-all", {200, 1, 0}},
      {"mail object", {200, 1, 0}},
      {"unknown mail object", {404, 1, 0}},
      {"template file", {200, 2, 0}},
      {"update", {200, 2, 2}},  // the second reads the record that the new one follows
      {"update without permission", {403, 1, 0}},
      {"update under another tag", {412, 2, 0}},  // before its body is read, and after
      {"creation", {500, 0, 0}},
      {"deletion", {500, 0, 0}},
      {"own bundles", {200, 2, 0}},
      {"managed bundles", {200, 2, 0}},
      {"managed bundles without permission", {403, 1, 0}},
      {"bundle", {200, 3, 1}},
      {"bundle of a manager", {200, 3, 1}},
      {"bundle, head only", {200, 2, 0}},
      {"bundle of others", {403, 2, 0}},
      {"unknown bundle", {404, 1, 0}},
      {"application configuration", {200, 1, 0}},
      {"application configuration, anonymous", {200, 0, 0}},
      {"application localization", {200, 0, 0}},
      {"api definition", {200, 0, 0}},
      {"live", {200, 0, 0}},
      {"ready", {200, 1, 0}},
      {"health status", {200, 1, 0}},
      {"open api", {200, 0, 0}},
      {"swagger page", {200, 0, 0}},
      {"no token", {401, 0, 0}},
  };
  for (const RouteRequest& request : all_route_requests()) {
    const Counted counted = count(request);
    ASSERT_TRUE(expected.contains(request.name)) << request.name;
    const Counted& literal = expected.at(request.name);
    EXPECT_EQ(counted.status, literal.status) << request.name;
    EXPECT_EQ(counted.batches, literal.batches) << request.name;
    EXPECT_EQ(counted.writes, literal.writes) << request.name;
    EXPECT_LE(counted.batches, 3) << request.name;
  }
}

TEST_F(Batches, OfABundleThatWasReadBeforeAreTwo) {
  import_small_portal(memory_, 3);
  const RouteRequest request{"bundle", "GET", "/api/app/liasse/L-1", "client"};
  count(request);
  const Counted again = count(request);
  EXPECT_EQ(again.batches, 2);
  EXPECT_EQ(again.writes, 0);
}

TEST_F(Batches, OfAListAreTwoForAnyLength) {
  import_small_portal(memory_, 1000);
  EXPECT_EQ(count({"own bundles", "GET", "/api/app/liasse", "client"}).batches, 2);
  EXPECT_EQ(count({"managed bundles", "GET", "/api/app/liasse/dashboard-list", "manager"}).batches, 2);
}

}  // namespace
}  // namespace portail::simulation
