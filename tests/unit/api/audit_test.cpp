// The audit record of a PUT, and the requests that write an access line.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/audit/trail.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

constexpr std::string_view target = "/api/app/objet-courrier/12";
constexpr std::string_view update = R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel"})";

class AuditTest : public PortalTest {
 protected:
  // Returns the records of PUTs, in order.
  std::vector<std::string> updates() {
    struct Reader : AuditVisitor {
      bool visit(AuditName, std::string_view record) override {
        if (record.contains("\"action\":\"update\"")) records.emplace_back(record);
        return true;
      }
      std::vector<std::string> records;
    } reader;
    EXPECT_TRUE(run_ready(read_audit_trail(test.context, memory, reader)));
    return reader.records;
  }
  Answer put(std::string_view body) {
    TestRequest request("PUT", target, administrator);
    request.header("X-Correlation-Id", "put-1").json(body);
    return ask(request.view());
  }
};

TEST_F(AuditTest, HasTheChangesOfAPut) {
  EXPECT_EQ(put(update).status, 200);
  const auto records = updates();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_TRUE(records[0].starts_with(
      R"({"time":"2026-01-15T12:00:00.000000Z","action":"update","route":"PUT /api/app/objet-courrier/{id}",)"
      R"("subject":"sub-admin","client":)"))
      << records[0];
  EXPECT_TRUE(records[0].contains(R"("systemUser":null,"correlationId":"put-1","previous":"audit.)"));
  EXPECT_TRUE(records[0].ends_with(
      R"("changes":[{"objetCourrier":12,"from":{"utilisablePourLiasse":false,"typeAffectation":"Rien"},)"
      R"("to":{"utilisablePourLiasse":true,"typeAffectation":"Optionnel"}}]})"));
  EXPECT_EQ(put(update).status, 200);  // without a change
  EXPECT_TRUE(updates().back().contains(R"("from":{"utilisablePourLiasse":true,"typeAffectation":"Optionnel"},"to":)"
                                        R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel"})"));
  EXPECT_EQ(updates().size(), 2U);
}

TEST_F(AuditTest, HasNoRefusedRequest) {
  EXPECT_EQ(put("{}").status, 400);
  EXPECT_EQ(ask(TestRequest("PUT", target, client).json(update).view()).status, 403);
  EXPECT_EQ(ask(TestRequest("PUT", target, administrator).header("If-Match", "\"x\"").json(update).view()).status, 412);
  EXPECT_TRUE(updates().empty());
}

// The swap would succeed, but is not attempted.
TEST_F(AuditTest, IsWrittenAtomicallyWithTheChange) {
  struct WithoutRoom : ForwardingStore {
    WithoutRoom(KeyValueStore& beneath, Failure what) : ForwardingStore(beneath), failure(what) {}
    Task<void> write(Context&, std::span<const Change>) override { co_await std::unexpected(failure); }
    Failure failure;
  };
  const std::string before = get(target, client).body;
  for (const auto& [failure, status] : {std::pair{Failure::unavailable, 503}, std::pair{Failure::too_large, 500}}) {
    WithoutRoom full(memory, failure);
    const Service service_of_it(settings(), test_key_set(), full);
    TestRequest request("PUT", target, administrator);
    const Request view = request.json(update).view();
    EXPECT_EQ(run_ready(portail::serve(test.context, service_of_it, view))->status, status);
    EXPECT_EQ(get(target, client).body, before);
    EXPECT_TRUE(updates().empty());
  }
}

TEST_F(AuditTest, KeepsOnlyTheRecordOfAnAttemptThatWon) {
  // Loses its first race against another PUT.
  struct Racing : ForwardingStore {
    using ForwardingStore::ForwardingStore;
    Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                                std::string_view desired) override {
      if (std::exchange(races, false)) {
        const Change other{key, "12\tfalse\tObligatoire\n"};
        co_await target().write(context, std::span(&other, 1));
      }
      co_return co_await target().compare_and_swap(context, key, expected, desired);
    }
    bool races = true;
  } racing(memory);
  const Service service_of_it(settings(), test_key_set(), racing);
  TestRequest request("PUT", target, administrator);
  const Request view = request.json(update).view();
  EXPECT_EQ(run_ready(portail::serve(test.context, service_of_it, view))->status, 200);
  ASSERT_EQ(updates().size(), 1U);
  EXPECT_TRUE(updates()[0].contains(R"("from":{"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"})"));
  struct Counter : Visitor {
    bool visit(std::string_view, std::string_view) override { return ++count > 0; }
    int count = 0;
  } counter;
  EXPECT_TRUE(run_ready(memory.scan(test.context, "audit.", counter)));
  EXPECT_EQ(counter.count, 3);  // the import, its grants, this one: the lost attempt's record is removed
}

TEST_F(AuditTest, AccessLinesAreForManagersReadsAndRefusals) {
  const auto summary = [this](std::string_view what, std::string_view token) { return get(what, token).summary; };
  EXPECT_EQ(summary("/api/app/liasse/L-1", manager).access, "managed bundle");
  EXPECT_EQ(summary("/api/app/liasse/L-1", manager).entity, "L-1");
  EXPECT_EQ(summary("/api/app/liasse/dashboard-list", manager).access, "managed bundles");
  EXPECT_EQ(summary("/api/app/liasse/dashboard-list", client).access, "refused");
  EXPECT_EQ(summary("/api/app/liasse/L-3", client).access, "refused");
  EXPECT_EQ(summary("/api/app/liasse/L-3", client).subject, "sub-client");
  for (const std::string_view own :
       {"/api/app/liasse/L-1", "/api/app/liasse", "/api/app/liasse/none", "/api/app/objet-courrier/1"}) {
    EXPECT_EQ(summary(own, client).access, "") << own;
  }
  TestRequest clear("GET", "/api/app/liasse", client);
  Request request = clear.view();
  request.scheme_is_https = false;
  EXPECT_EQ(ask(request).summary.access, "refused");
}

}  // namespace
}  // namespace portail
