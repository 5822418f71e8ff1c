// What the core costs: one service.handle a route, body pulled to its end, with the sample portal in memory, and the
// verification of the token alone, or its being remembered. Absolute times are this machine's; the table at the end
// takes the token's part off.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <sodium.h>

#include "core/auth/authenticator.hpp"
#include "core/auth/key_maker.hpp"
#include "core/auth/token.hpp"
#include "core/auth/token_cache.hpp"
#include "core/auth/token_maker.hpp"
#include "tests/support/answer.hpp"
#include "tests/support/seeded_random.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"
#include "tools/bench/sample_portal.hpp"

namespace portail {
namespace {

// HS256 for the routes, so that the part to take off is small; EdDSA alone.
const TestClaims client{.subject = "sub-client-1", .roles = {"client"}};
const TestClaims manager{.subject = "sub-gestionnaire-1", .roles = {"gestionnaire"}};
const TestClaims administrator{.subject = "sub-administrateur-1", .roles = {"administrateur"}};

struct MeasuredRoute {
  const char* name;
  const char* method;
  const char* target;
  const TestClaims* caller;
  int status = 200;
  const char* body = nullptr;
};

const std::vector<MeasuredRoute> routes{
    {"page of ten mail objects", "GET", "/api/app/objet-courrier", &client},
    {"page of ten mail objects, 304", "GET", "/api/app/objet-courrier", &client, 304},
    {"all 40 mail objects", "GET", "/api/app/objet-courrier/list-all", &client},
    {"one mail object", "GET", "/api/app/objet-courrier/1", &client},
    {"one template file", "GET", "/api/app/objet-courrier/10/fichier-modele", &client},
    {"update of a mail object", "PUT", "/api/app/objet-courrier/1", &administrator, 200,
     R"({"utilisablePourLiasse":true,"typeAffectation":"Obligatoire"})"},
    {"a client's 6 bundles", "GET", "/api/app/liasse", &client},
    {"one bundle", "GET", "/api/app/liasse/L-2024-0001", &client},
    {"a manager's 300 bundles, streamed", "GET", "/api/app/liasse/dashboard-list", &manager},
    {"application configuration", "GET", "/api/abp/application-configuration", &client},
    {"readiness", "GET", "/health/ready", nullptr},
    {"refused without a token", "GET", "/api/app/objet-courrier", nullptr, 401},
};

std::string token_of(const TestClaims* caller) { return caller ? make_quick_test_token(*caller) : std::string(); }

// A new arena for each request, as a host makes one.
Answer ask_once(const Service& service, const MeasuredRoute& route, const std::string& token, const std::string& tag) {
  TestContext test;
  TestRequest request(route.method, route.target, token);
  if (!tag.empty()) request.header("If-None-Match", tag);
  if (route.body) request.json(route.body);
  const Request view = request.view();
  auto answer = run_ready(ask(test.context, service, view));
  return answer ? std::move(*answer) : Answer{};
}

void measure_route(benchmark::State& state, const SamplePortal& portal, const MeasuredRoute& route) {
  const std::string token = token_of(route.caller);
  std::string tag;
  if (route.status == 304) {
    MeasuredRoute whole = route;
    whole.status = 200;
    tag = ask_once(*portal.service, whole, token, {}).header("ETag").value_or("");
  }
  for (auto _ : state) {
    const Answer answer = ask_once(*portal.service, route, token, tag);
    if (answer.status != route.status) {
      state.SkipWithError(("answered " + std::to_string(answer.status)).c_str());
      break;
    }
    benchmark::DoNotOptimize(answer.body.data());
  }
}

// What playing the host costs in each of the above, answer or not.
void measure_harness(benchmark::State& state) {
  const std::string token = token_of(&client);
  for (auto _ : state) {
    TestContext test;
    TestRequest request("GET", "/api/app/objet-courrier", token);
    const Request view = request.view();
    benchmark::DoNotOptimize(view.headers.data());
    benchmark::DoNotOptimize(test.frames.allocate(64));
  }
}

// With a cache, every token but the first is remembered.
void measure_token(benchmark::State& state, const std::string& token, TokenCache* cache = nullptr) {
  const TokenSettings settings = test_token_settings();
  TestRequest request("GET", "/", token);
  const Request view = request.view();
  for (auto _ : state) {
    TestContext test;
    test.context.token_cache = cache;
    const auto caller = run_ready(authenticate(test.context, view, test_key_set(), settings));
    if (!caller || !*caller) {
      state.SkipWithError("refused");
      break;
    }
    benchmark::DoNotOptimize((**caller)->subject.data());
  }
}

// The form and the signature of a token of usual length; no claims.
void measure_signature(benchmark::State& state, const SigningAlgorithm& algorithm) {
  SeededRandom random;
  const std::string jwk = make_private_jwk(algorithm, "bench", random);
  const auto loaded = load_key_set("{\"keys\":[" + jwk + "]}");
  const auto key = load_signing_key(jwk);
  if (!loaded || !key) return state.SkipWithError("no key");
  const std::string token = make_token(*key, std::string(400, 'c'));
  const KeySet& keys = loaded->keys;
  for (auto _ : state) {
    const auto payload = verify_jws(token, keys);
    if (!payload) return state.SkipWithError("refused");
    benchmark::DoNotOptimize(payload->data());
  }
}

constexpr const char* harness_name = "the measuring itself";
constexpr const char* quick_token_name = "verify a token, HS256";

// Prints the usual lines, and keeps the median of each.
class MedianReporter : public benchmark::ConsoleReporter {
 public:
  std::map<std::string, double> microseconds;
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.aggregate_name == "median") microseconds[run.run_name.function_name] = run.GetAdjustedCPUTime() / 1000;
    }
    ConsoleReporter::ReportRuns(runs);
  }
};

}  // namespace
}  // namespace portail

int main(int argc, char** argv) {
  using namespace portail;
  if (sodium_init() < 0) return 1;  // as the native host does: it chooses the processor's best BLAKE2b
  const auto portal = load_sample_portal();
  benchmark::RegisterBenchmark(harness_name, measure_harness);
  benchmark::RegisterBenchmark(quick_token_name,
                               [token = make_quick_test_token(client)](auto& state) { measure_token(state, token); });
  benchmark::RegisterBenchmark("verify a token, EdDSA",
                               [token = make_test_token(client)](auto& state) { measure_token(state, token); });
  for (const SigningAlgorithm& algorithm : signing_algorithms()) {
    benchmark::RegisterBenchmark("verify a signature, " + std::string(algorithm.name),
                                 [&algorithm](auto& state) { measure_signature(state, algorithm); });
  }
  BoundedTokenCache cache(Hash32{}, 1000);
  benchmark::RegisterBenchmark("remember a token", [&cache, token = make_test_token(client)](auto& state) {
    measure_token(state, token, &cache);
  });
  for (const MeasuredRoute& route : routes) {
    benchmark::RegisterBenchmark(route.name, [&](auto& state) { measure_route(state, *portal, route); });
  }

  std::vector<char*> arguments(argv, argv + argc);
  std::string repetitions = "--benchmark_repetitions=7";
  std::string interleaved = "--benchmark_enable_random_interleaving=true";
  std::string brief = "--benchmark_report_aggregates_only=true";
  std::string short_runs = "--benchmark_min_time=0.1s";
  arguments.insert(arguments.begin() + 1, {repetitions.data(), interleaved.data(), brief.data(), short_runs.data()});
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  MedianReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);

  const auto& medians = reporter.microseconds;
  if (!medians.contains(harness_name) || !medians.contains(quick_token_name)) return 0;
  std::printf("\n%-36s %10s   (medians of 7; without the token's verification and the measuring itself)\n",
              "the core alone", "us/request");
  for (const MeasuredRoute& route : routes) {
    const auto median = medians.find(route.name);
    if (median == medians.end()) continue;
    const double token = route.caller ? medians.at(quick_token_name) : 0;
    std::printf("%-36s %10.2f\n", route.name, median->second - token - medians.at(harness_name));
  }
  return 0;
}
