// Fails each access of each route in turn. The answer must be 500 or 503, and the store must be unchanged or completely
// changed.
#include <map>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/storage/memory_store.hpp"
#include "tests/simulation/audited.hpp"
#include "tests/simulation/scheduler.hpp"
#include "tests/simulation/small_portal.hpp"
#include "tests/simulation/suspending_store.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {
namespace {

constexpr KeyValueStore::Traits all_traits{.snapshots = true, .compare_and_swap = true, .atomic_batches = true};

using Contents = std::map<std::string, std::string>;

Contents contents_of(KeyValueStore& store) {
  struct Copier final : Visitor {
    Contents contents;
    bool visit(std::string_view key, std::string_view value) override {
      contents.emplace(key, value);
      return true;
    }
  } copier;
  TestContext test;
  EXPECT_TRUE(run_ready(store.scan(test.context, "", copier)));
  // An unreachable audit record does not count.
  const std::set<std::string> happened = audited_keys(store);
  std::erase_if(copier.contents, [&happened](const auto& entry) {
    return entry.first.starts_with("audit.") && !happened.contains(entry.first);
  });
  return copier.contents;
}

struct Sent {
  Result<Answer> answer;
  int accesses;
  bool had_fault;
  Contents contents;
};

Sent send_with_fault(const RouteRequest& route, std::optional<Fault> fault) {
  MemoryStore memory;
  import_small_portal(memory, 2);
  Scheduler scheduler(1);
  SuspendingStore store(memory, scheduler, all_traits);
  const Service service(small_portal_settings(), test_key_set(), store);
  TestContext test;
  TestRequest request(route.method, route.target, token_for(route.subject));
  if (!route.body.empty()) request.json(route.body);
  if (!route.header_name.empty()) request.header(route.header_name, route.header_value);
  const Request view = request.view();
  scheduler.plan(test.context, fault);
  auto task = serve(test.context, service, view);
  task.start([](void*) {}, nullptr);
  while (!task.done()) scheduler.step();
  EXPECT_TRUE(scheduler.idle()) << route.name;
  const int accesses = scheduler.accesses(test.context);
  return {task.result(), accesses, scheduler.fault_struck(test.context), contents_of(memory)};
}

void fail_each_access(Failure failure, int steps, int status) {
  for (const RouteRequest& route : all_route_requests()) {
    MemoryStore memory;
    import_small_portal(memory, 2);
    const Contents before = contents_of(memory);
    const Sent undisturbed = send_with_fault(route, std::nullopt);
    ASSERT_TRUE(undisturbed.answer);
    for (int access = 1;; ++access) {
      const std::string description = route.name + ", access " + std::to_string(access);
      const Sent sent = send_with_fault(route, Fault{access, failure, steps});
      ASSERT_TRUE(sent.answer) << description;
      if (!sent.had_fault) {
        EXPECT_EQ(access, undisturbed.accesses + 1) << description;
        EXPECT_EQ(sent.contents, undisturbed.contents) << description;
        break;
      }
      ASSERT_LE(access, 20) << description;
      EXPECT_TRUE(sent.contents == before || sent.contents == undisturbed.contents) << description;
      // The accesses after the first three record the consultation: their failure does not affect the answer. The probe
      // reports the failure itself.
      const bool is_consultation = undisturbed.answer->status == 200 && route.name.starts_with("bundle") && access > 3;
      const int expected = is_consultation ? 200 : route.target.starts_with("/health") ? 503 : status;
      EXPECT_EQ(sent.answer->status, expected) << description;
      if (expected == 200) {
        EXPECT_EQ(sent.answer->body, undisturbed.answer->body) << description;
      }
    }
  }
}

TEST(EachFailure, OfAStoreThatCannotAnswerGives503) { fail_each_access(Failure::unavailable, 0, 503); }
TEST(EachFailure, OfUnknownEffectGives503) { fail_each_access(Failure::unavailable, all_steps, 503); }
TEST(EachFailure, OfAStoreWithDamagedFilesGives500) { fail_each_access(Failure::corrupt, 0, 500); }

// A long list is read before its first chunk is sent: a failure sets the status, and none occurs later.
TEST(EachFailure, OfALongListComesBeforeItsFirstChunk) {
  MemoryStore memory;
  import_small_portal(memory, 2000);
  Scheduler scheduler(1);
  SuspendingStore store(memory, scheduler, all_traits);
  const Service service(small_portal_settings(), test_key_set(), store);
  const std::string token = token_for("client");
  // A session and two batches.
  for (int access = 1; access <= 4; ++access) {
    TestContext test;
    TestRequest request("GET", "/api/app/liasse", token);
    const Request view = request.view();
    scheduler.plan(test.context, Fault{.access = access});
    auto task = serve(test.context, service, view);
    task.start([](void*) {}, nullptr);
    while (!task.done()) scheduler.step();
    const auto answer = task.result();
    ASSERT_TRUE(answer) << access;
    EXPECT_EQ(answer->status, access <= 3 ? 503 : 200) << access;
    EXPECT_EQ(answer->was_streamed, access == 4) << access;
    scheduler.remove_request(test.context);
  }
}

}  // namespace
}  // namespace portail::simulation
