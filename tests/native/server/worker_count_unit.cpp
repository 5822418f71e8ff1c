#include <gtest/gtest.h>

#include "native/server/admission.hpp"

namespace portail::server {
namespace {

TEST(WorkerCount, TwoForEachProcessor) {
  EXPECT_EQ(default_workers(2), 4u);
  EXPECT_EQ(default_workers(3), 6u);
  EXPECT_EQ(default_workers(64), 128u);
}

TEST(WorkerCount, AtLeastFour) {
  EXPECT_EQ(default_workers(1), 4u);
  EXPECT_EQ(default_workers(0), 4u);
}

}  // namespace
}  // namespace portail::server
