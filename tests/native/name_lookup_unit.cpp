// Name resolution. This program's own getaddrinfo and getaddrinfo_a take the place of glibc's: names
// below ".silent.invalid" are never answered, and calls of getaddrinfo_a are counted.
#include <atomic>
#include <chrono>
#include <semaphore>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include "native/keys/https_get.hpp"
#include "native/keys/name_lookup.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds, std::chrono::seconds;

// Never released: an answer for one test's lookup could reach the lookup of the next test.
std::counting_semaphore<> answers{0};
constexpr std::string_view counted = "counted.silent.invalid";
std::atomic<int> counted_lookups = 0;
std::atomic<int> asynchronous_lookups = 0;

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  if (node && std::string_view(node).ends_with(".silent.invalid")) {
    if (std::string_view(node) == counted) ++counted_lookups;
    answers.acquire();
    return EAI_AGAIN;
  }
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  return next(node, service, hints, result);
}

extern "C" int getaddrinfo_a(int, gaicb**, int, sigevent*) {
  ++asynchronous_lookups;
  return EAI_AGAIN;
}

namespace portail::keys {
namespace {

TEST(NameLookup, WaitsForAnAnswer) {
  EXPECT_TRUE(wait_for_name("localhost", Clock::now() + seconds(60), {}));
  EXPECT_TRUE(wait_for_name("127.0.0.1", Clock::now() + seconds(60), {}));
}

TEST(NameLookup, EndsAtItsDeadline) {
  EXPECT_FALSE(wait_for_name(std::string(counted), Clock::now() + milliseconds(100), {}));
  while (counted_lookups == 0) std::this_thread::yield();
  EXPECT_EQ(counted_lookups, 1);
}

TEST(NameLookup, EndsWhenStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(wait_for_name("stopped.silent.invalid", Clock::now() + std::chrono::hours(1), stop.get_token()));
}

TEST(NameLookup, BoundsAFetch) {
  EXPECT_EQ(https_get("https://fetch.silent.invalid/keys", "", Clock::now() + milliseconds(100), {}).error(),
            "cannot fetch https://fetch.silent.invalid/keys: timed out");
}

TEST(NameLookup, OfAFetchIsNotAsynchronous) {
  EXPECT_EQ(https_get("https://127.0.0.1:1/keys", "", Clock::now() + seconds(60), {}).error(),
            "cannot fetch https://127.0.0.1:1/keys: Could not establish connection");
  EXPECT_EQ(asynchronous_lookups, 0);
}

}  // namespace
}  // namespace portail::keys
