#include <gmock/gmock.h>

#include "native/server/unsent_answers.hpp"

namespace portail::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

UnsentAnswer answer(const char* address, std::size_t bytes, int deadline) {
  return {.client = *IpAddress::parse(address), .bytes = bytes, .deadline = Deadline(std::chrono::seconds(deadline))};
}

TEST(UnsentAnswers, AreKeptWhileTheyFit) {
  const std::vector answers{answer("192.0.2.1", 60, 1), answer("192.0.2.2", 40, 2)};
  EXPECT_THAT(answers_to_abort(answers, 100), IsEmpty());
  EXPECT_THAT(answers_to_abort({}, 0), IsEmpty());
}

TEST(UnsentAnswers, AreAbortedForTheClientThatUsesMost) {
  const std::vector answers{answer("192.0.2.1", 50, 1), answer("192.0.2.2", 30, 2), answer("192.0.2.2", 30, 3)};
  EXPECT_THAT(answers_to_abort(answers, 100), ElementsAre(1));
}

TEST(UnsentAnswers, AreAbortedByTheLongestWait) {
  const std::vector answers{answer("192.0.2.1", 10, 3), answer("192.0.2.1", 10, 1), answer("192.0.2.1", 10, 2)};
  EXPECT_THAT(answers_to_abort(answers, 10), ElementsAre(1, 2));
}

TEST(UnsentAnswers, AreAbortedUntilTheRestFits) {
  const std::vector answers{answer("192.0.2.1", 40, 1), answer("192.0.2.1", 30, 2), answer("192.0.2.2", 50, 3),
                            answer("192.0.2.3", 20, 4)};
  EXPECT_THAT(answers_to_abort(answers, 60), ElementsAre(0, 2));
  EXPECT_THAT(answers_to_abort(answers, 0), ElementsAre(0, 2, 1, 3));
}

}  // namespace
}  // namespace portail::server
