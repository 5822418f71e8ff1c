#include "core/portal/piece_status.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(PieceStatus, KnownWordsInEverySpelling) {
  EXPECT_EQ(recognise("Attendu"), PieceStatus::expected);
  EXPECT_EQ(recognise("Déposé"), PieceStatus::deposited);
  EXPECT_EQ(recognise("Validé"), PieceStatus::validated);
  EXPECT_EQ(recognise("VALIDÉ"), PieceStatus::validated);
  EXPECT_EQ(recognise("valide"), PieceStatus::validated);
  EXPECT_EQ(recognise("Valide\u0301"), PieceStatus::validated);
  EXPECT_EQ(recognise("\"Validé\""), PieceStatus::validated);
}

TEST(PieceStatus, WhateverBeginsWithDerogIsDerogated) {
  EXPECT_EQ(recognise("Dérogé"), PieceStatus::derogated);
  EXPECT_EQ(recognise("Dérogée"), PieceStatus::derogated);
  EXPECT_EQ(recognise("De\u0301roge\u0301e"), PieceStatus::derogated);
  EXPECT_EQ(recognise("DE\u0301ROGATION ACCORDÉE PAR LE SIÈGE"), PieceStatus::derogated);
  EXPECT_EQ(recognise("derog"), PieceStatus::derogated);
}

TEST(PieceStatus, AnythingElseIsUnknown) {
  EXPECT_EQ(recognise(""), PieceStatus::unknown);
  EXPECT_EQ(recognise("Validée"), PieceStatus::unknown);
  EXPECT_EQ(recognise("Rejeté"), PieceStatus::unknown);
  EXPECT_EQ(recognise("Validé "), PieceStatus::unknown);
  EXPECT_EQ(recognise("Non dérogé"), PieceStatus::unknown);
}

}  // namespace
}  // namespace portail
