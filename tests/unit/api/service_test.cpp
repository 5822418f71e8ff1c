#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/auth/request_limits.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

using ServiceTest = PortalTest;

TEST_F(ServiceTest, EveryAnswerHasASummary) {
  TestRequest request("GET", "/api/app/liasse", client);
  request.header("X-Correlation-Id", "abc-1");
  const Answer answer = ask(request.view());
  EXPECT_EQ(answer.header("X-Correlation-Id"), "abc-1");
  EXPECT_EQ(answer.summary.route, "/api/app/liasse");
  EXPECT_EQ(answer.summary.subject, "sub-client");
  EXPECT_EQ(answer.summary.correlation_id, "abc-1");

  TestRequest bad("GET", "/api/app/liasse");
  bad.header("X-Correlation-Id", "a b");
  EXPECT_EQ(ask(bad.view()).header("X-Correlation-Id").value_or("").size(), 32U);
}

class TestLimits final : public RequestLimits {
 public:
  std::optional<ExceededLimit> count_request() override {
    ++requests;
    return refuse_requests ? std::optional(exceeded("address")) : std::nullopt;
  }
  std::optional<ExceededLimit> count_caller(const Caller& caller) override {
    callers.push_back(caller.subject);
    return refuse_callers ? std::optional(exceeded("subject")) : std::nullopt;
  }

  int requests = 0;
  std::vector<std::string> callers;
  bool refuse_requests = false;
  bool refuse_callers = false;

 private:
  static ExceededLimit exceeded(std::string_view policy) {
    return {
        .policy = policy, .reason = Reason::subject_rate, .quota = 50, .window_seconds = 10, .retry_after_seconds = 2};
  }
};

TEST_F(ServiceTest, ALimitedRequestReadsNothing) {
  TestLimits limits;
  test.context.limits = &limits;
  limits.refuse_requests = true;
  // The token is not read: it is invalid.
  TestRequest put("PUT", "/api/app/objet-courrier/1", "no.token");
  put.json("{").header("Origin", "https://portail.test");
  const Answer answer = ask(put.view());
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("Retry-After"), "2");
  EXPECT_EQ(answer.header("RateLimit-Policy"), R"("address";q=50;w=10)");
  EXPECT_EQ(answer.header("RateLimit"), R"("address";r=0;t=2)");
  EXPECT_EQ(answer.header("Cache-Control"), "no-store");
  EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "https://portail.test");
  EXPECT_EQ(answer.body, R"({"error":{"code":null,"message":"You are sending too many requests; try again later!",)"
                         R"("details":null,"data":{},"validationErrors":null}})");
  EXPECT_FALSE(put.body_was_read());
  EXPECT_EQ(limits.callers, std::vector<std::string>{});
  EXPECT_EQ(store.calls, StoreCalls{});
}

TEST_F(ServiceTest, ALimitedCallerReadsNothing) {
  TestLimits limits;
  test.context.limits = &limits;
  limits.refuse_callers = true;
  store.calls = {};
  // A route whose reads managers have logged, an unknown path, and an open route.
  for (const std::string_view target :
       {"/api/app/liasse/dashboard-list", "/api/app/nothing", "/api/abp/application-configuration"}) {
    const Answer answer = get(target, manager);
    EXPECT_EQ(answer.status, 429) << target;
    EXPECT_EQ(answer.header("RateLimit"), R"("subject";r=0;t=2)");
    EXPECT_EQ(answer.summary.access, "");
    EXPECT_EQ(text_of(answer.summary.reason), "The subject exceeds its rate limit");
  }
  EXPECT_EQ(store.calls, StoreCalls{});
  EXPECT_EQ(limits.requests, 3);
  EXPECT_EQ(limits.callers, (std::vector<std::string>{"sub-manager", "sub-manager", "sub-manager"}));
  // Without a valid token there is no caller to limit.
  EXPECT_EQ(get("/api/app/liasse", "no.token").status, 401);
  EXPECT_EQ(get("/api/app/liasse", "").status, 401);
  EXPECT_EQ(limits.callers.size(), 3U);
}

TEST_F(ServiceTest, ProbesAndPreflightsCountForNoLimit) {
  TestLimits limits;
  test.context.limits = &limits;
  limits.refuse_requests = limits.refuse_callers = true;
  EXPECT_EQ(get("/health/ready", client).status, 200);
  EXPECT_EQ(get("/health/live", "").status, 200);
  TestRequest preflight("OPTIONS", "/api/app/liasse");
  preflight.header("Origin", "https://portail.test").header("Access-Control-Request-Method", "GET");
  EXPECT_EQ(ask(preflight.view()).status, 204);
  EXPECT_EQ(limits.requests, 0);
  EXPECT_EQ(limits.callers.size(), 0U);
}

TEST_F(ServiceTest, WithoutKeysASentTokenIsNotTheClientsFault) {
  FixedKeys no_keys;
  const Service keyless(settings(), no_keys, store);
  const auto answer =
      run_ready(portail::serve(test.context, keyless, TestRequest("GET", "/api/app/liasse", client).view()));
  EXPECT_EQ(answer.value().status, 503);
  EXPECT_EQ(answer.value().header("Retry-After").has_value(), true);
  EXPECT_EQ(text_of(answer.value().summary.reason), "No key set can be used");
  EXPECT_EQ(answer.value().summary.access, "refused");
  const auto ready = run_ready(portail::serve(test.context, keyless, TestRequest("GET", "/health/ready").view()));
  EXPECT_EQ(ready.value().status, 503);
  EXPECT_EQ(ready.value().body, R"({"status":"Unhealthy","parts":{"store":"Healthy","keys":"Unhealthy"}})");
  EXPECT_EQ(ready.value().header("Content-Type"), "application/json; charset=utf-8");
  EXPECT_EQ(ready.value().header("Cache-Control"), "no-store");
  EXPECT_EQ(ready.value().header("Retry-After"), "5");
}

TEST_F(ServiceTest, StoreFailuresAreAnswers) {
  class Failing final : public ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    Failure failure = Failure::unavailable;
    Task<std::unique_ptr<Session>> open(Context&) override { co_return std::unexpected(failure); }
  } failing{memory};
  struct Lines final : Log {
    void warn(std::string_view event, std::string_view) override { events.emplace_back(event); }
    void record(std::string_view) override {}
    std::vector<std::string> events;
  } log;
  Context context{test.clock, test.random, log, test.frames};
  const Service broken(settings(), test_key_set(), failing);
  const auto ask_broken = [&](std::string_view target) {
    return run_ready(portail::serve(context, broken, TestRequest("GET", target, client).view())).value();
  };
  const Answer unavailable = ask_broken("/api/app/liasse");
  EXPECT_EQ(unavailable.status, 503);
  EXPECT_EQ(text_of(unavailable.summary.reason), "The store is unavailable");
  EXPECT_EQ(unavailable.summary.access, "refused");
  EXPECT_EQ(log.events, std::vector<std::string>{}) << "the store logs the reason, once a minute";
  EXPECT_EQ(ask_broken("/health/ready").body,
            R"({"status":"Unhealthy","parts":{"store":"Unhealthy","keys":"Healthy"}})");
  EXPECT_EQ(ask_broken("/health/live").body, R"({"status":"Healthy","parts":{}})");
  failing.failure = Failure::cancelled;
  EXPECT_EQ(text_of(ask_broken("/api/app/liasse").summary.reason),
            "The request was cancelled, or its deadline expired");
  failing.failure = Failure::corrupt;
  const Answer answer = ask_broken("/api/app/liasse");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.summary.reason, Reason::none);
  EXPECT_EQ(
      answer.body,
      R"({"error":{"code":null,"message":"An internal error occurred during your request!","details":null,"data":{},"validationErrors":null}})");
  EXPECT_EQ(log.events, std::vector<std::string>{"request failed"});
}

TEST_F(ServiceTest, AnIncompleteBodyIsTheClientsFault) {
  class FailingBody final : public ChunkSource {
   public:
    explicit FailingBody(Failure failure) : failure_(failure) {}
    Task<std::optional<std::string_view>> next(Context&) override { co_return std::unexpected(failure_); }

   private:
    Failure failure_;
  };
  const auto put = [this](Failure failure) {
    FailingBody body(failure);
    TestRequest request("PUT", "/api/app/objet-courrier/1", administrator);
    request.header("Content-Type", "application/json");
    Request view = request.view();
    view.body = &body;
    return ask(view);
  };
  const auto error = [](std::string_view message) {
    return R"({"error":{"code":null,"message":")" + std::string(message) +
           R"(","details":null,"data":{},"validationErrors":null}})";
  };
  const Answer incomplete = put(Failure::body_incomplete);
  EXPECT_EQ(incomplete.status, 400);
  EXPECT_EQ(incomplete.body, error("The body of the request is incomplete!"));
  EXPECT_EQ(incomplete.header("Retry-After"), std::nullopt);
  EXPECT_EQ(incomplete.summary.reason, Reason::none);
  const Answer late = put(Failure::body_late);
  EXPECT_EQ(late.status, 408);
  EXPECT_EQ(late.body, error("The body of the request did not arrive in time!"));
  EXPECT_EQ(late.summary.reason, Reason::none);
}

TEST_F(ServiceTest, ATooLongContentLengthIsRefusedUnread) {
  const auto put = [this](std::string_view length) {
    TestRequest request("PUT", "/api/app/objet-courrier/1", administrator);
    request.json("{").header("Content-Length", length).header("Expect", "100-continue");
    const int status = ask(request.view()).status;
    return std::pair(status, request.body_was_read());
  };
  for (const std::string_view length : {"65537", "18446744073709551615", "99999999999999999999999"}) {
    EXPECT_EQ(put(length), std::pair(413, false)) << length;
  }
  TestRequest sending("PUT", "/api/app/objet-courrier/1", administrator);
  sending.json("{").header("Content-Length", "65537");
  EXPECT_EQ(ask(sending.view()).status, 400);
  EXPECT_TRUE(sending.body_was_read()) << "without Expect";
  // A length that is none is the host's to refuse.
  for (const std::string_view length : {"65536", "1", "", "x", "99999, 99999"}) {
    EXPECT_EQ(put(length), std::pair(400, true)) << length;
  }
}

TEST_F(ServiceTest, OptionsOfTheHost) {
  for (const std::string_view target : {"*", "http://host", "HTTPS://host:443"}) {
    TestRequest request("OPTIONS", target);
    Request insecure = request.view();
    insecure.scheme_is_https = false;
    for (const Request& each : {request.view(), insecure}) {
      const Answer answer = ask(each);
      EXPECT_EQ(answer.status, 204) << target;
      EXPECT_EQ(answer.header("Allow"), "GET, HEAD, PUT, OPTIONS");
      EXPECT_EQ(answer.body, "");
    }
  }
  for (const std::string_view target : {"http://host/", "http://host?a"}) {
    EXPECT_EQ(ask(TestRequest("OPTIONS", target).view()).status, 405) << target;
  }
  EXPECT_EQ(get("*", client).status, 400);
}

TEST_F(ServiceTest, OptionsOfAProbeHaveItsStatus) {
  TestRequest request("OPTIONS", "/health/ready");
  Request probe = request.view();
  const Answer healthy = ask(probe);
  EXPECT_EQ(healthy.status, 200);
  EXPECT_EQ(healthy.body, get("/health/ready", "").body);
  EXPECT_EQ(healthy.header("Allow"), "GET, HEAD, OPTIONS");
  probe.draining = true;
  EXPECT_EQ(ask(probe).status, 503);
  EXPECT_EQ(ask(TestRequest("OPTIONS", "/").view()).status, 405);
  EXPECT_EQ(ask(TestRequest("POST", "/health/ready").view()).header("Allow"), "GET, HEAD, OPTIONS");
}

TEST_F(ServiceTest, StoppingHostIsNotReady) {
  TestRequest request("GET", "/health-status");
  Request view = request.view();
  EXPECT_EQ(ask(view).body, R"({"status":"Healthy","parts":{"store":"Healthy","keys":"Healthy"}})");
  view.draining = true;
  const Answer answer = ask(view);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, R"({"status":"Unhealthy","parts":{"store":"Healthy","keys":"Healthy","host":"Unhealthy"}})");
}

}  // namespace
}  // namespace portail
