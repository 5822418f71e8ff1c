#include "core/base/nearest_name.hpp"

#include <string>

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(NearestNameTest, SuggestsAmongGivenNames) {
  const std::string known[] = {"serve", "check"};
  EXPECT_EQ(suggestion_for("chekc", known), "; did you mean check?");
  EXPECT_EQ(suggestion_for("sevr", known), "");
  EXPECT_EQ(suggestion_for("serve", {}), "");
}

TEST(NearestNameTest, AUniquePrefixIsNear) {
  const std::string known[] = {"--output", "--overwrite", "--root"};
  EXPECT_EQ(nearest_name("--out", known), "--output");
  EXPECT_EQ(nearest_name("--o", known), "");
  EXPECT_EQ(nearest_name("", known), "");
}

}  // namespace
}  // namespace portail
