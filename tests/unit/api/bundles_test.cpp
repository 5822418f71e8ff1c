#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

// tests/contract/answers has the content of the answers.
using Bundles = PortalTest;

TEST_F(Bundles, ARepeatedReadWritesNothing) {
  get("/api/app/liasse/L-1", client);
  store.calls = {};
  get("/api/app/liasse/L-1", client);
  EXPECT_EQ(store.calls, (StoreCalls{.sessions = 1, .batches = 2, .keys = 6}));
}

TEST_F(Bundles, ConsultationThatCannotBeWrittenIsLogged) {
  class ReadOnly final : public ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    Task<bool> compare_and_swap(Context&, std::string_view, Value, std::string_view) override {
      co_return std::unexpected(Failure::unavailable);
    }
  } read_only{memory};
  const Service reading{settings(), test_key_set(), read_only};
  const auto answer =
      run_ready(portail::serve(test.context, reading, TestRequest("GET", "/api/app/liasse/L-1", client).view()));
  EXPECT_EQ(answer.value().status, 200);
  EXPECT_EQ(test.log.lines.size(), 1U);
}

// A portal with `count` bundles of one user.
std::string many_bundles(int count) {
  std::string document =
      R"({"tiers":[{"numeroTiers":"T3","nomTiers":"N","prenomTiers":"P","utilisateurs":["sub-many"],"gestionnaires":[]}],"liasses":[)";
  for (int i = 0; i < count; ++i) {
    if (i > 0) document += ',';
    document += sample_bundle({.id = "M-" + std::to_string(1000 + i), .third_party = "T3"});
  }
  return document + "]}";
}

TEST_F(Bundles, ListOf300KilobytesIsComplete) {
  load(many_bundles(1000));
  store.calls = {};
  const Answer answer = get("/api/app/liasse", make_test_token({.subject = "sub-many"}));
  EXPECT_FALSE(answer.was_streamed);
  EXPECT_EQ(store.calls.batches, 2);
}

TEST_F(Bundles, AFailedConditionIsNoConsultation) {
  TestRequest request("GET", "/api/app/liasse/L-1", client);
  EXPECT_EQ(ask(request.header("If-Match", "\"x\"").view()).status, 412);
  EXPECT_TRUE(get("/api/app/liasse/L-1", client).body.contains(R"("deposeeDepuisDerniereConsultation":true)"));
  EXPECT_TRUE(get("/api/app/liasse/L-1", client).body.contains(R"("deposeeDepuisDerniereConsultation":false)"));
}

TEST_F(Bundles, LongListIsStreamedWithATagOfItsBundles) {
  load(many_bundles(1800));
  const std::string many = make_test_token({.subject = "sub-many"});
  store.calls = {};
  const Answer before = get("/api/app/liasse", many);
  EXPECT_TRUE(before.was_streamed);
  EXPECT_EQ(store.calls.batches, 2);
  const std::string key = "liasse.=4D-1299";
  const Change removal{key, std::nullopt};
  ASSERT_TRUE(run_ready(memory.write(test.context, {&removal, 1})));
  TestRequest again("GET", "/api/app/liasse", many);
  again.header("If-None-Match", before.header("ETag").value_or(""));
  const Answer after = ask(again.view());
  EXPECT_EQ(after.status, 200);
  EXPECT_NE(after.header("ETag"), before.header("ETag"));
  TestRequest stale("GET", "/api/app/liasse", many);
  EXPECT_EQ(ask(stale.header("If-Match", before.header("ETag").value_or("")).view()).status, 412);
}

}  // namespace
}  // namespace portail
