// Counts the heap allocations of requests in a core with caches of tokens and answers, against the recorded counts
// (tests/costs.json). A count is the same on every machine, so that a regression fails everywhere. The program's
// operator new is below.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "core/api/answer_cache.hpp"
#include "core/auth/token_cache.hpp"
#include "recorded_allocations.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace {

std::size_t allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  std::abort();
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace portail {
namespace {

// A string stores fewer characters inline with 32-bit pointers (WebAssembly), so some more are allocated. A change may
// add two to the recorded counts.
constexpr std::size_t accepted_more = 2 + (sizeof(void*) == 4 ? 3 : 0);

class Allocations : public PortalTest {
 protected:
  // Expects at most the recorded count of this test.
  void expect(int status, std::string_view target, std::string_view token, std::string_view tag = {}) {
    const std::string_view test = testing::UnitTest::GetInstance()->current_test_info()->name();
    const auto row = std::ranges::find(recorded_allocations, test, &RecordedAllocations::test);
    ASSERT_NE(row, std::end(recorded_allocations));
    const std::size_t count = of(status, target, token, tag);
    RecordProperty("allocations", std::to_string(count));
    EXPECT_LE(count, row->count + accepted_more) << "see `tools/dev costs`";
  }
  // Counts those of one answer with that status, its body read to the end, after an earlier request for the same
  // target.
  std::size_t of(int status, std::string_view target, std::string_view token, std::string_view tag = {}) {
    EXPECT_EQ(ask_once(target, token, tag).status, status);
    EXPECT_EQ(ask_once(target, token, tag).status, status);
    return counted_;
  }
  Answer ask_once(std::string_view target, std::string_view token, std::string_view tag = {}) {
    TestRequest request("GET", target, token);
    if (!tag.empty()) request.header("If-None-Match", tag);
    const Request view = request.view();
    TestContext fresh;
    fresh.context.token_cache = &tokens_;
    fresh.context.answer_cache = &answers_;
    const std::size_t before = allocations;
    auto answer = run_ready(portail::serve(fresh.context, service, view));
    counted_ = allocations - before;
    return answer ? std::move(*answer) : Answer{};
  }

 private:
  BoundedTokenCache tokens_{Hash32{}, 10};
  BoundedAnswerCache answers_;
  std::size_t counted_ = 0;
};

TEST_F(Allocations, OfAPage) { expect(200, "/api/app/objet-courrier", client); }

TEST_F(Allocations, OfAPageThatTheClientHas) {
  const std::string tag(*ask_once("/api/app/objet-courrier", client).header("ETag"));
  expect(304, "/api/app/objet-courrier", client, tag);
}

TEST_F(Allocations, OfOneMailObject) { expect(200, "/api/app/objet-courrier/12", client); }

TEST_F(Allocations, OfARefusal) { expect(401, "/api/app/objet-courrier", ""); }

// Each further bundle allocates its key, and sometimes more memory for the list.
TEST_F(Allocations, OfABundleMoreInAList) {
  constexpr std::size_t few = 10;
  constexpr std::size_t many = 200;
  const auto of_list = [this](std::size_t bundles) {
    std::string document = R"({"objetsCourrier":[{"id":1,"typeObjet":"CNI","description":"Carte nationale d'identité",)"
                           R"("utilisablePourLiasse":true,"typeAffectation":"Rien"}],"tiers":[{"numeroTiers":"T1",)"
                           R"("nomTiers":"Durand","prenomTiers":"Chloé","utilisateurs":["sub-client"],)"
                           R"("gestionnaires":[]}],"liasses":[)";
    for (std::size_t i = 0; i < bundles; ++i) {
      if (i > 0) document += ',';
      document +=
          sample_bundle({.id = "L-" + std::to_string(1000 + i),
                         .pieces = R"({"id":"3f2504e0-4f89-41d3-9a0c-)" + std::to_string(300'000'000'000 + i) +
                                   R"(","objetCourrier":1,"statut":"Attendu",)"
                                   R"("motif":"Une page manque, et une autre ne se lit pas","dateDepot":null})"});
    }
    load(document + "]}");
    return of(200, "/api/app/liasse", client);
  };
  const std::size_t of_few = of_list(few);
  EXPECT_LE(of_list(many) - of_few, many - few + 20);
}

}  // namespace
}  // namespace portail
