#include <string>
#include <string_view>
#include <vector>

#include "core/auth/request_limits.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

class ServiceTest : public PortalTest {
 protected:
  Answer ask_other(Settings other, Request request) {
    const Service service_with(std::move(other), test_key_set(), store);
    return run_ready(portail::serve(test.context, service_with, request)).value_or(Answer{});
  }
};

TEST_F(ServiceTest, AnonymousCallerLearnsNothingBelowApiApp) {
  for (const std::string_view target :
       {"/api/app", "/api/app/nothing", "/API/APP/objet-courrier/007", "/api/app/liasse/L-1"}) {
    for (const std::string_view method : {"GET", "PATCH", "OPTIONS"}) {
      const Answer answer = ask(TestRequest(method, target).view());
      EXPECT_EQ(answer.status, 401) << method << ' ' << target;
      EXPECT_EQ(answer.header("WWW-Authenticate"), "Bearer");
      EXPECT_EQ(answer.header("_AbpErrorFormat"), std::nullopt);
    }
  }
  TestRequest put("PUT", "/api/app/objet-courrier/1");
  put.json("{");
  EXPECT_EQ(ask(put.view()).status, 401);
  EXPECT_FALSE(put.body_was_read());
}

TEST_F(ServiceTest, RefusedTokenIsReportedInWwwAuthenticate) {
  const Answer answer = get("/api/app/liasse", make_test_token({.subject = "sub-client", .expires = 1}));
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.header("WWW-Authenticate").value_or("").substr(0, 47),
            R"(Bearer error="invalid_token", error_description)");
}

TEST_F(ServiceTest, UnknownPathsAndMethods) {
  EXPECT_EQ(get("/api/app/nothing", client).status, 404);
  EXPECT_EQ(get("/nothing", "").status, 404);
  const Answer answer = ask(TestRequest("PATCH", "/api/app/objet-courrier/1", client).view());
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.header("Allow"), "GET, HEAD, PUT");
  EXPECT_EQ(ask(TestRequest("DELETE", "/api/app/objet-courrier", client).view()).header("Allow"), "GET, HEAD");
}

TEST_F(ServiceTest, MalformedTargetsCloseTheConnection) {
  const Answer answer = get("/api/app/liasse/a%2Fb", client);
  EXPECT_EQ(answer.status, 400);
  EXPECT_TRUE(answer.close);
}

TEST_F(ServiceTest, EveryAnswerCarriesTheCommonHeaders) {
  TestRequest request("GET", "/api/app/liasse", client);
  request.header("X-Correlation-Id", "abc-1").header("Origin", "https://portail.test");
  const Answer answer = ask(request.view());
  EXPECT_EQ(answer.header("X-Correlation-Id"), "abc-1");
  EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(answer.header("Vary"), "Authorization, Origin, Accept-Encoding, Accept-Language");
  EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), "https://portail.test");
  EXPECT_EQ(answer.header("Strict-Transport-Security"), "max-age=31536000");
  EXPECT_EQ(answer.summary.route, "/api/app/liasse");
  EXPECT_EQ(answer.summary.subject, "sub-client");
  EXPECT_EQ(answer.summary.correlation_id, "abc-1");

  TestRequest bad("GET", "/api/app/liasse");
  bad.header("X-Correlation-Id", "a b");
  EXPECT_EQ(ask(bad.view()).header("X-Correlation-Id").value_or("").size(), 32U);
}

TEST_F(ServiceTest, PreflightComesBeforeTheToken) {
  TestRequest request("OPTIONS", "/api/app/objet-courrier/1");
  request.header("Origin", "https://portail.test").header("Access-Control-Request-Method", "PUT");
  const Answer answer = ask(request.view());
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.header("Access-Control-Allow-Methods"), "PUT");
}

TEST_F(ServiceTest, TransportComesBeforeEverythingButProbes) {
  TestRequest request("GET", "/api/app/liasse", client);
  Request clear = request.view();
  clear.scheme_is_https = false;
  EXPECT_EQ(ask(clear).status, 403);
  TestRequest probe("GET", "/health/live");
  Request clear_probe = probe.view();
  clear_probe.scheme_is_https = false;
  EXPECT_EQ(ask(clear_probe).status, 200);

  Settings forwarded = settings();
  forwarded.transport = Transport::forwarded;
  const auto ask_forwarded = [&](std::vector<HeaderView> extra, bool trusted) {
    TestRequest inner("GET", "/api/app/liasse", client);
    for (const HeaderView& header : extra) inner.header(header.name, header.value);
    Request view = inner.view();
    view.scheme_is_https = false;
    view.forwarding_trusted = trusted;
    return ask_other(forwarded, view).status;
  };
  EXPECT_EQ(ask_forwarded({{"X-Forwarded-Proto", "https"}}, true), 200);
  EXPECT_EQ(ask_forwarded({{"X-Forwarded-Proto", "https"}}, false), 403);
  EXPECT_EQ(ask_forwarded({{"X-Forwarded-Proto", "https, https"}}, true), 403);
  EXPECT_EQ(ask_forwarded({{"X-Forwarded-Proto", "https"}, {"X-Forwarded-Proto", "https"}}, true), 403);
  EXPECT_EQ(ask_forwarded({{"Forwarded", "for=192.0.2.1;Proto=\"https\""}}, true), 200);
  EXPECT_EQ(ask_forwarded({{"Forwarded", "for=192.0.2.1;proto=http"}}, true), 403);
  EXPECT_EQ(ask_forwarded({{"Forwarded", "proto=https, proto=https"}}, true), 403);
  EXPECT_EQ(ask_forwarded({}, true), 403);
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

TEST_F(ServiceTest, StoppingHostIsNotReady) {
  TestRequest request("GET", "/health-status");
  Request view = request.view();
  EXPECT_EQ(ask(view).body, R"({"status":"Healthy","parts":{"store":"Healthy","keys":"Healthy"}})");
  view.draining = true;
  const Answer answer = ask(view);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, R"({"status":"Unhealthy","parts":{"store":"Healthy","keys":"Healthy","host":"Unhealthy"}})");
}

TEST_F(ServiceTest, ApplicationConfigurationNeedsNoToken) {
  const Answer anonymous = get("/api/abp/application-configuration", "not-a-token");
  EXPECT_EQ(anonymous.status, 200);
  EXPECT_EQ(
      anonymous.body.contains(R"("auth":{"grantedPolicies":{}},"currentUser":{"isAuthenticated":false,"id":null)"),
      true);
  const Answer authenticated = get("/api/abp/application-configuration", manager);
  EXPECT_EQ(authenticated.body.contains(R"("auth":{"grantedPolicies":{"PortailClients.Dashboard.Host":true}})"), true);
  EXPECT_EQ(authenticated.body.contains(R"("isAuthenticated":true,"id":"sub-manager")"), true);
  EXPECT_EQ(authenticated.body.contains(R"("roles":["gestionnaire"])"), true);
  TestRequest french("GET", "/api/abp/application-configuration");
  french.header("Accept-Language", "fr-CA, en;q=0.5");
  EXPECT_EQ(ask(french.view()).body.contains(R"("cultureName":"fr","name":"fr")"), true);
  EXPECT_EQ(get("/api/abp/application-localization?cultureName=fr&onlyDynamics=true", "").body.substr(0, 32),
            R"({"resources":{},"currentCulture")");
}

}  // namespace
}  // namespace portail
