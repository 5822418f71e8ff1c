// Of PUTs that race under one tag exactly one wins. Of PUTs of different mail objects none is lost, in any order of the
// store's answers.
#include <list>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/storage/memory_store.hpp"
#include "tests/simulation/audited.hpp"
#include "tests/simulation/scheduler.hpp"
#include "tests/simulation/small_portal.hpp"
#include "tests/simulation/suspending_store.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {
namespace {

struct Put {
  Put(const std::string& target, const std::string& token, const std::string& tag, const std::string& wanted,
      std::uint64_t seed)
      : body(wanted), test(seed), request("PUT", target, token) {
    if (!tag.empty()) request.header("If-Match", tag);
    request.json(body);
  }
  std::string body;
  TestContext test;
  TestRequest request;
  Request view;
  std::optional<Task<Answer>> task;
};

// Runs all PUTs concurrently to completion.
void race(std::list<Put>& puts, const Service& service, Scheduler& scheduler) {
  for (Put& put : puts) {
    scheduler.plan(put.test.context, std::nullopt);
    put.view = put.request.view();
    put.task.emplace(serve(put.test.context, service, put.view));
    put.task->start([](void*) {}, nullptr);
  }
  while (!scheduler.idle()) scheduler.step();
}

std::string configuration(bool usable, const std::string& assignment) {
  return std::string(R"({"utilisablePourLiasse":)") + (usable ? "true" : "false") + R"(,"typeAffectation":")" +
         assignment + "\"}";
}

constexpr KeyValueStore::Traits with_swap{.snapshots = true, .compare_and_swap = true, .atomic_batches = true};
constexpr KeyValueStore::Traits with_swap_only{.snapshots = false, .compare_and_swap = true, .atomic_batches = false};

TEST(RacingPuts, UnderOneTagHaveOneWinner) {
  const std::string token = token_for("admin");
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    MemoryStore memory;
    import_small_portal(memory, 1);
    Scheduler scheduler(seed);
    SuspendingStore store(memory, scheduler, seed % 2 ? with_swap : with_swap_only);
    const Service service(small_portal_settings(), test_key_set(), store);
    const Service direct(small_portal_settings(), test_key_set(), memory);
    const RouteRequest read{"mail object", "GET", "/api/app/objet-courrier/1", "admin"};
    const std::string tag(send(direct, read).header("ETag").value_or("none"));

    // The stored configuration is true, Rien: five different ones race.
    std::list<Put> puts;
    for (const auto& [usable, assignment] : std::vector<std::pair<bool, std::string>>{{true, "Optionnel"},
                                                                                      {true, "Obligatoire"},
                                                                                      {false, "Rien"},
                                                                                      {false, "Optionnel"},
                                                                                      {false, "Obligatoire"}}) {
      puts.emplace_back(read.target, token, tag, configuration(usable, assignment), puts.size());
    }
    // A PUT of the other mail object, which does not conflict.
    puts.emplace_back("/api/app/objet-courrier/2", token, "", configuration(false, "Optionnel"), puts.size());
    race(puts, service, scheduler);

    int winners = 0;
    std::string won;
    for (Put& put : puts) {
      ASSERT_TRUE(put.task->done()) << seed;
      const auto answer = put.task->result();
      ASSERT_TRUE(answer) << seed;
      if (&put == &puts.back()) {
        EXPECT_EQ(answer->status, 200) << seed;
      } else if (answer->status == 200) {
        ++winners;
        won = answer->body;
      } else {
        EXPECT_EQ(answer->status, 412) << seed;
      }
    }
    EXPECT_EQ(winners, 1) << seed;
    // The losers' records are unreachable: the audit has the two winners, after the import and its grants.
    EXPECT_EQ(audited_requests(memory).size(), 2U) << seed;
    EXPECT_EQ(send(direct, read).body, won) << seed;
    EXPECT_NE(send(direct, {"", "GET", "/api/app/objet-courrier/2", "admin"}).body.find("Optionnel"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace portail::simulation
