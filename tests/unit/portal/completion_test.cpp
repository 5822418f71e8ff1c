#include "core/portal/completion.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

Completion of(std::size_t validated, std::size_t pieces) { return {.pieces = pieces, .validated = validated}; }

TEST(Completion, IsTheShortestDecimalThatReadsBackTheSame) {
  EXPECT_EQ(of(2, 3).percentage(), "66.66666666666667");
  EXPECT_EQ(of(1, 3).percentage(), "33.333333333333336");
  EXPECT_EQ(of(1, 2).percentage(), "50");
  EXPECT_EQ(of(1, 4).percentage(), "25");
  EXPECT_EQ(of(1, 8).percentage(), "12.5");
  EXPECT_EQ(of(1, 7).percentage(), "14.285714285714286");
  EXPECT_EQ(of(20, 21).percentage(), "95.23809523809524");
  EXPECT_EQ(of(1, 11).percentage(), "9.090909090909092");
  EXPECT_EQ(of(1, 200).percentage(), "0.5");
  EXPECT_EQ(of(1, 3000).percentage(), "0.03333333333333333");
}

TEST(Completion, EndsAreIntegers) {
  EXPECT_EQ(of(0, 3).percentage(), "0");
  EXPECT_EQ(of(3, 3).percentage(), "100");
}

TEST(Completion, BundleWithoutPiecesIsComplete) {
  EXPECT_EQ(Completion{}.status(), "Complet");
  EXPECT_EQ(Completion{}.percentage(), "100");
}

TEST(Completion, OnlyValidatedPiecesCount) {
  Completion completion;
  for (const PieceStatus status :
       {PieceStatus::validated, PieceStatus::deposited, PieceStatus::derogated, PieceStatus::unknown}) {
    completion.count(status);
  }
  EXPECT_EQ(completion.status(), "En cours");
  EXPECT_EQ(completion.percentage(), "25");
}

TEST(Completion, EveryRatioOfSmallIntegersReadsBackTheSame) {
  for (std::size_t pieces = 1; pieces <= 120; ++pieces) {
    for (std::size_t validated = 0; validated <= pieces; ++validated) {
      const std::string text = of(validated, pieces).percentage();
      EXPECT_EQ(std::strtod(text.c_str(), nullptr),
                100.0 * static_cast<double>(validated) / static_cast<double>(pieces))
          << validated << " of " << pieces << ": " << text;
    }
  }
}

}  // namespace
}  // namespace portail
