#include <chrono>
#include <stop_token>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <pthread.h>

#include "native/keys/key_documents.hpp"
#include "native/system/name_lookup.hpp"
#include "tests/native/support/silent_names.hpp"

namespace portail {
namespace {

using std::chrono::milliseconds, std::chrono::seconds, std::chrono::steady_clock;

TEST(NameLookup, FindsAddresses) {
  EXPECT_TRUE(look_up_host("localhost", 80, steady_clock::now() + seconds(60)));
  const auto found = look_up_host("127.0.0.1", 80, steady_clock::now() + seconds(60));
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->ai_family, AF_INET);
}

TEST(NameLookup, ReportsAnUnknownName) {
  EXPECT_EQ(look_up_host("host.unknown.invalid", 80, steady_clock::now() + seconds(60)).error(),
            "Name or service not known");
  EXPECT_EQ(
      keys::http_get("https://host.unknown.invalid/keys", Transport::direct, "", steady_clock::now() + seconds(60), {})
          .error(),
      "cannot fetch https://host.unknown.invalid/keys: Could not resolve host: host.unknown.invalid");
}

TEST(NameLookup, EndsAtItsDeadline) {
  EXPECT_EQ(look_up_host(std::string(counted_name), 80, steady_clock::now() + milliseconds(100)).error(), "timed out");
  while (counted_lookups() == 0) std::this_thread::yield();
  EXPECT_EQ(counted_lookups(), 1);
}

TEST(NameLookup, EndsWhenStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      look_up_host("stopped.silent.invalid", 80, steady_clock::now() + std::chrono::hours(1), stop.get_token()).error(),
      "stopped");
}

TEST(NameLookup, FailsWithoutAThread) {
  pthread_attr_t original;
  ASSERT_EQ(pthread_getattr_default_np(&original), 0);
  pthread_attr_t huge = original;
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 47), 0);  // more than the address space of a process
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  const auto found = look_up_host("localhost", 80, steady_clock::now() + seconds(60));
  ASSERT_EQ(pthread_setattr_default_np(&original), 0);
  ASSERT_FALSE(found);
  EXPECT_EQ(
      found.error(),
      "cannot start a thread: Resource temporarily unavailable: raise the limit of threads and processes (ulimit -u; "
      "systemd: TasksMax; containers: --pids-limit), or of memory (ulimit -v)");
  EXPECT_TRUE(look_up_host("localhost", 80, steady_clock::now() + seconds(60)));
}

TEST(NameLookup, BoundsAFetch) {
  EXPECT_EQ(keys::http_get("https://fetch.silent.invalid/keys", Transport::direct, "",
                           steady_clock::now() + milliseconds(100), {})
                .error(),
            "cannot fetch https://fetch.silent.invalid/keys: timed out");
}

}  // namespace
}  // namespace portail
