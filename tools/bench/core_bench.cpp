// The cost of the core: one service.handle for each route, with the body read to its end, the sample portal in memory,
// and a host that caches tokens and answers as `portail serve` does; and the verification of the token alone. Absolute
// times apply to this machine only. The table at the end excludes the token and is in verifications of EdDSA, whose
// cost is that of libsodium.
//   bench_core [--large DOCUMENT] [google-benchmark's flags]
//   --large: a portal in which sub-gestionnaire-1 manages 10,000 bundles
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <sodium.h>

#include "core/api/answer_cache.hpp"
#include "core/api/service.hpp"
#include "core/auth/authenticator.hpp"
#include "core/auth/key_generator.hpp"
#include "core/auth/token.hpp"
#include "core/auth/token_cache.hpp"
#include "core/auth/token_signer.hpp"
#include "tests/support/seeded_random.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"
#include "tools/bench/sample_portal.hpp"

namespace portail {
namespace {

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
  bool caches_answers = true;
  int bundles = 1;  // divides the cost; `large_portal_bundles` means the large portal
};

constexpr int large_portal_bundles = 10'000;

const std::vector<MeasuredRoute> routes{
    {"page of ten mail objects", "GET", "/api/app/objet-courrier", &client},
    {"page of ten mail objects, 304", "GET", "/api/app/objet-courrier", &client, 304},
    {"page of ten mail objects, not cached", "GET", "/api/app/objet-courrier", &client, 200, nullptr, false},
    {"all 40 mail objects", "GET", "/api/app/objet-courrier/list-all", &client},
    {"one mail object", "GET", "/api/app/objet-courrier/1", &client},
    {"one template file", "GET", "/api/app/objet-courrier/10/fichier-modele", &client},
    {"update of a mail object", "PUT", "/api/app/objet-courrier/1", &administrator, 200,
     R"({"utilisablePourLiasse":true,"typeAffectation":"Obligatoire"})"},
    {"a client's 6 bundles", "GET", "/api/app/liasse", &client},
    {"one bundle", "GET", "/api/app/liasse/L-2024-0001", &client},
    {"a manager's 300 bundles, streamed", "GET", "/api/app/liasse/dashboard-list", &manager},
    {"a manager's 10,000 bundles, one of them", "GET", "/api/app/liasse/dashboard-list", &manager, 200, nullptr, true,
     large_portal_bundles},
    {"a manager's 10,000 bundles, 304", "GET", "/api/app/liasse/dashboard-list", &manager, 304, nullptr, true,
     large_portal_bundles},
    {"application configuration", "GET", "/api/abp/application-configuration", &client},
    {"readiness", "GET", "/health/ready", nullptr},
    {"refused without a token", "GET", "/api/app/objet-courrier", nullptr, 401},
};

std::string token_of(const TestClaims* caller) { return caller ? make_test_token(*caller) : std::string(); }

// The caches of a host.
struct HostCaches {
  BoundedTokenCache tokens{Hash32{}, 1000};
  BoundedAnswerCache answers;
};

// Reads a body to its end and discards it, as a host writes it chunk by chunk.
Task<void> pull(Context& context, Body& body) {
  auto* const source = std::get_if<std::unique_ptr<ChunkSource>>(&body);
  while (source) {
    const auto chunk = co_await (*source)->next(context);
    if (!chunk) break;
    benchmark::DoNotOptimize(chunk->data());
  }
}

Task<Response> handle(Context& context, const Service& service, const Request& request) {
  Response response = co_await service.handle(context, request);
  co_await pull(context, response.body);
  co_return response;
}

// Uses a new arena for each request, as a host does.
Response handle_once(const Service& service, HostCaches& caches, const MeasuredRoute& route, const std::string& token,
                     const std::string& tag) {
  TestContext test;
  test.context.token_cache = &caches.tokens;
  if (route.caches_answers) test.context.answer_cache = &caches.answers;
  TestRequest request(route.method, route.target, token);
  if (!tag.empty()) request.header("If-None-Match", tag);
  if (route.body) request.json(route.body);
  const Request view = request.view();
  auto answer = run_ready(handle(test.context, service, view));
  return answer ? std::move(*answer) : Response{};
}

void measure_route(benchmark::State& state, const SamplePortal& portal, const MeasuredRoute& route) {
  const std::string token = token_of(route.caller);
  HostCaches caches;
  std::string tag;
  if (route.status == 304) {
    MeasuredRoute whole = route;
    whole.status = 200;
    const Response answer = handle_once(*portal.service, caches, whole, token, {});
    const HeaderField* const field = find_header(answer, "ETag");
    if (!field) return state.SkipWithError("no tag");
    tag = field->value;
  }
  for (auto _ : state) {
    const Response answer = handle_once(*portal.service, caches, route, token, tag);
    if (answer.status != route.status) {
      state.SkipWithError(("answered " + std::to_string(answer.status)).c_str());
      break;
    }
    benchmark::DoNotOptimize(answer.headers.data());
  }
}

// The cost of the simulated host, included in all measurements above.
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

// With a cache, every token but the first is a hit.
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

// The format and the signature of a token of typical length; no claims.
void measure_signature(benchmark::State& state, const SigningAlgorithm& algorithm) {
  SeededRandom random;
  const std::string jwk = generate_private_jwk(algorithm, "bench", random);
  const auto loaded = load_key_set("{\"keys\":[" + jwk + "]}");
  const auto key = load_signing_key(jwk);
  if (!loaded || !key) return state.SkipWithError("no key");
  const std::string token = sign_token(*key, std::string(400, 'c'));
  const KeySet& keys = loaded->keys;
  for (auto _ : state) {
    const auto payload = verify_jws(token, keys);
    if (!payload) return state.SkipWithError("refused");
    benchmark::DoNotOptimize(payload->data());
  }
}

constexpr const char* harness_name = "the measuring itself";
constexpr const char* cached_token_name = "find a token in the cache";
constexpr const char* reference_name = "verify a token, EdDSA";

// Prints the default output, and stores the median of each benchmark.
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
  if (sodium_init() < 0) return 1;  // as the native host does: selects the processor's best BLAKE2b
  const auto portal = load_portal(PORTAIL_FIXTURES "/portail.json");
  std::unique_ptr<SamplePortal> large;
  if (argc > 2 && std::strcmp(argv[1], "--large") == 0) {
    large = load_portal(argv[2]);
    argv[2] = argv[0];
    argv += 2;
    argc -= 2;
  }
  benchmark::RegisterBenchmark(harness_name, measure_harness);
  benchmark::RegisterBenchmark("verify a token, HS256",
                               [token = make_quick_test_token(client)](auto& state) { measure_token(state, token); });
  benchmark::RegisterBenchmark(reference_name,
                               [token = make_test_token(client)](auto& state) { measure_token(state, token); });
  for (const SigningAlgorithm& algorithm : signing_algorithms()) {
    benchmark::RegisterBenchmark("verify a signature, " + std::string(algorithm.name),
                                 [&algorithm](auto& state) { measure_signature(state, algorithm); });
  }
  BoundedTokenCache cache(Hash32{}, 1000);
  benchmark::RegisterBenchmark(cached_token_name, [&cache, token = make_test_token(client)](auto& state) {
    measure_token(state, token, &cache);
  });
  for (const MeasuredRoute& route : routes) {
    const SamplePortal* measured = route.bundles == large_portal_bundles ? large.get() : portal.get();
    if (!measured) continue;
    benchmark::RegisterBenchmark(route.name,
                                 [measured, &route](auto& state) { measure_route(state, *measured, route); });
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
  for (const char* needed : {harness_name, cached_token_name, reference_name}) {
    if (!medians.contains(needed)) return 0;
  }
  const double harness = medians.at(harness_name);
  const double reference = medians.at(reference_name) - harness;
  std::printf("\n%-40s %10s %25s   (medians of 7; without the token's part and the measuring itself)\n",
              "the core alone", "us", "verifications of EdDSA");
  for (const MeasuredRoute& route : routes) {
    const auto median = medians.find(route.name);
    if (median == medians.end()) continue;
    const double token = route.caller ? medians.at(cached_token_name) - harness : 0;
    const double alone = (median->second - token - harness) / route.bundles;
    std::printf("%-40s %10.2f %25.4f\n", route.name, alone, alone / reference);
  }
  return 0;
}
