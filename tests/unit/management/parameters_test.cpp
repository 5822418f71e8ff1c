#include <array>

#include <gtest/gtest.h>

#include "core/management/call.hpp"

namespace portail {
namespace {

constexpr std::array<std::string_view, 2> known{"dryRun", "prune"};

TEST(ManagementParameters, AreKnownOnceWithAValue) {
  EXPECT_EQ(parameter_fault("", known), std::nullopt);
  EXPECT_EQ(parameter_fault("", {}), std::nullopt);
  EXPECT_EQ(parameter_fault("&&", {}), std::nullopt);
  EXPECT_EQ(parameter_fault("DRYrun=true&prune=x", known), std::nullopt);
  EXPECT_EQ(parameter_fault("dry%52un=%00", known), std::nullopt);
  EXPECT_EQ(parameter_fault("dryRun", known), "dryRun has no value");
  EXPECT_EQ(parameter_fault("prune=1&dryRun=+", known), "dryRun has no value");
  EXPECT_EQ(parameter_fault("prune=1&prune=1", known), "prune must be given once only");
  EXPECT_EQ(parameter_fault("prune=1&PRUNE=2", known), "prune must be given once only");
}

TEST(ManagementParameters, AnUnknownOneIsNamed) {
  EXPECT_EQ(parameter_fault("dryrn=true", known), "unknown parameter \"dryrn\"; did you mean dryRun?");
  EXPECT_EQ(parameter_fault("dryRun=true&;prune=true", known), "unknown parameter \";prune\"; did you mean prune?");
  EXPECT_EQ(parameter_fault("other=1", known), "unknown parameter \"other\"");
  EXPECT_EQ(parameter_fault("prune=1", {}), "unknown parameter \"prune\"");
  EXPECT_EQ(parameter_fault("%1b%ff=1", known), "unknown parameter \"??\"");
}

}  // namespace
}  // namespace portail
