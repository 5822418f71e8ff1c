// The background refresh: its status and its log.
#include <chrono>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "native/keys/refreshing_keys.hpp"
#include "native/system/system.hpp"
#include "tests/native/keys/refreshing_keys_test.hpp"

namespace portail::keys {
namespace {

using namespace std::chrono_literals;

TEST_F(RefreshingKeysTest, KeepsTheSetWhileTheTextIsUnchanged) {
  script.set_text(one);
  RefreshingKeys& refreshing = create({.interval = 1ms});
  EXPECT_EQ(refreshing.current(), nullptr);
  EXPECT_FALSE(refreshing.status().age.has_value());
  refreshing.refresh();
  const SharedKeySet first = refreshing.current();
  ASSERT_TRUE(has_key("1"));
  refreshing.start();
  until([&] { return script.count() > 5; });
  EXPECT_EQ(refreshing.current(), first);
  script.set_text(two);
  until([&] { return has_key("2"); });
  EXPECT_FALSE(has_key("1"));
}

TEST_F(RefreshingKeysTest, ARefreshThatIsRequestedDuringAReadFollowsIt) {
  RefreshingKeys& refreshing = start_with_one({.interval = 1h, .min_interval = 1h});
  int reads = 1;
  for (const bool fails : {false, true}) {
    script.hold(true);
    refreshing.request_refresh();
    until([&] { return script.count() == reads + 1; });
    if (fails) script.set_text(std::unexpected("gone"));
    refreshing.request_refresh();
    script.hold(false);
    until([&] { return script.count() == reads + 2; });
    reads += 2;
  }
}

TEST_F(RefreshingKeysTest, KeysStayInEffectUntilTheirMaximumAge) {
  script.set_text(one);
  RefreshingKeys& refreshing =
      create({.interval = 1ms, .min_interval = 1ms, .initial_backoff = 1ms, .max_age = std::chrono::milliseconds(300)});
  refreshing.refresh();
  script.set_text(std::unexpected("out of order"));
  refreshing.start();
  until([&] { return refreshing.status().consecutive_failures > 2 || !refreshing.current(); });
  until([&] { return refreshing.current() == nullptr; });
  EXPECT_GE(refreshing.status().failures, 1U);
  EXPECT_EQ(refreshing.status().keys, 0U);
  script.set_text(one);
  until([&] { return has_key("1"); });
  EXPECT_EQ(refreshing.status().consecutive_failures, 0U);
}

TEST_F(RefreshingKeysTest, TheStatusHasTheReasonOfTheLastFailureUntilASuccess) {
  script.set_text(one);
  RefreshingKeys& refreshing = create({});
  refreshing.refresh();
  EXPECT_EQ(refreshing.status().last_failure, "");
  script.set_text(std::unexpected("out of order"));
  refreshing.refresh();
  EXPECT_EQ(refreshing.status().last_failure, "out of order");
  script.set_text(one);
  refreshing.refresh();
  EXPECT_EQ(refreshing.status().last_failure, "");
}

// Returns the lines without their first members, time and level.
std::vector<std::string> events_of(const std::string& log) {
  std::vector<std::string> events;
  for (const auto line : std::views::split(log, '\n')) {
    const std::string_view text(line);
    if (!text.empty()) events.emplace_back(text.substr(text.find("\"event\"")));
  }
  return events;
}

TEST_F(RefreshingKeysTest, AFailureIsLoggedAgainIfItsReasonIsNew) {
  testing::internal::CaptureStderr();
  {
    JsonLog warnings{LogLevel::warning};
    RefreshingKeys refreshing(std::make_unique<ScriptedDocument>(script), {}, warnings);
    for (const char* const reason : {"out of order", "out of order", "moved", "moved"}) {
      script.set_text(std::unexpected(reason));
      refreshing.refresh();
    }
    warnings.flush();
  }
  const std::string start = R"("event":"key set not refreshed","detail":)";
  EXPECT_EQ(events_of(testing::internal::GetCapturedStderr()),
            (std::vector<std::string>{start + R"("out of order","consecutiveFailures":1,"keySetAgeSeconds":null})",
                                      start + R"("moved","consecutiveFailures":3,"keySetAgeSeconds":null})"}));
}

TEST_F(RefreshingKeysTest, AFailureIsLoggedAgainAfterASuccess) {
  script.set_text(one);
  testing::internal::CaptureStderr();
  {
    JsonLog everything{LogLevel::info};
    RefreshingKeys refreshing(std::make_unique<ScriptedDocument>(script), {}, everything);
    for (int i = 0; i < 2; ++i) {
      script.set_text(std::unexpected("out of order"));
      refreshing.refresh();
      script.set_text(one);
      refreshing.refresh();
      refreshing.refresh();
    }
    everything.flush();
  }
  const std::string failed =
      R"("event":"key set not refreshed","detail":"out of order","consecutiveFailures":1,"keySetAgeSeconds":)";
  const std::string refreshed = R"("event":"key set refreshed again","source":"script"})";
  const auto events = events_of(testing::internal::GetCapturedStderr());
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[0], failed + "null}");
  EXPECT_EQ(events[1], R"("event":"key set loaded","source":"script","usable":"1","refused":"0"})");
  EXPECT_EQ(events[2], refreshed);
  EXPECT_TRUE(events[3].starts_with(failed) && events[3] != events[0]) << events[3];
  EXPECT_EQ(events[4], refreshed);
}

TEST_F(RefreshingKeysTest, TheDestructorStopsAFetch) {
  script.set_text(one);
  RefreshingKeys& refreshing = create({.interval = 1ms});
  refreshing.refresh();
  script.hold(true);
  refreshing.start();
  until([&] { return script.count() == 2; });
  keys.reset();
}

}  // namespace
}  // namespace portail::keys
