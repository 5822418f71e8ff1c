#include <gtest/gtest.h>

#include "native/server/worker_count.hpp"

namespace portail {
namespace {

TEST(WorkerCount, TwoForEachProcessor) {
  EXPECT_EQ(default_workers(2, false), 4u);
  EXPECT_EQ(default_workers(3, false), 6u);
  EXPECT_EQ(default_workers(64, false), 128u);
}

TEST(WorkerCount, AFewWhereThereIsOneProcessorOrNobodyKnows) {
  EXPECT_EQ(default_workers(1, false), 4u);
  EXPECT_EQ(default_workers(0, false), 4u);
}

TEST(WorkerCount, ManyWhereTheStoreIsAskedOverANetwork) {
  EXPECT_EQ(default_workers(2, true), 32u);
  EXPECT_EQ(default_workers(64, true), 128u);
}

}  // namespace
}  // namespace portail
