// Name resolution. This program's own getaddrinfo and getaddrinfo_a take the place of glibc's: the name
// "silent.invalid" is not answered until the test ends, and calls of getaddrinfo_a are counted.
#include <atomic>
#include <chrono>
#include <semaphore>
#include <stop_token>
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

std::counting_semaphore<> answers{0};
std::atomic<int> silent_lookups = 0;
std::atomic<int> asynchronous_lookups = 0;

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  if (node && std::string_view(node) == "silent.invalid") {
    ++silent_lookups;
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
  const int before = silent_lookups;
  EXPECT_FALSE(wait_for_name("silent.invalid", Clock::now() + milliseconds(100), {}));
  answers.release();
  while (silent_lookups == before) std::this_thread::yield();
  EXPECT_EQ(silent_lookups, before + 1);
}

TEST(NameLookup, EndsWhenStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(wait_for_name("silent.invalid", Clock::now() + std::chrono::hours(1), stop.get_token()));
  answers.release();
}

TEST(NameLookup, BoundsAFetch) {
  EXPECT_EQ(https_get("https://silent.invalid/keys", "", Clock::now() + milliseconds(100), {}).error(),
            "cannot fetch https://silent.invalid/keys: timed out");
  answers.release();
}

TEST(NameLookup, OfAFetchIsNotAsynchronous) {
  EXPECT_EQ(https_get("https://127.0.0.1:1/keys", "", Clock::now() + seconds(60), {}).error(),
            "cannot fetch https://127.0.0.1:1/keys: Could not establish connection");
  EXPECT_EQ(asynchronous_lookups, 0);
}

}  // namespace
}  // namespace portail::keys
