#include "core/portal/piece_status.hpp"

#include <string>
#include <string_view>

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

TEST(PieceStatus, TwoWordsAreDerogatedWhateverTheirCaseAndAccents) {
  for (const std::string_view status :
       {"Dérogé", "Dérogée", "DÉROGÉ", "DÉROGÉE", "dérogé", "deroge", "Derogee", "DEROGE", "De\u0301roge\u0301",
        "De\u0301roge\u0301e", "DE\u0301ROGE\u0301E", "D\u00e9roge\u0301e", "de\u0301rog\u00c9", "Dèrogê",
        "De\u0301\u0323roge", "\"Dérogée\"", "\"Deroge\u0301\""}) {
    EXPECT_EQ(recognise(status), PieceStatus::derogated) << status;
  }
}

TEST(PieceStatus, WhatOnlyBeginsOrEndsLikeAKnownWordIsUnknown) {
  for (const std::string_view status : {"Dérogation refusée",
                                        "Dérogation demandée",
                                        "DE\u0301ROGATION ACCORDÉE PAR LE SIÈGE",
                                        "derog",
                                        "Dérog",
                                        "Dérogés",
                                        "Dérogées",
                                        "Dérogéee",
                                        "Dérogé ?",
                                        "Dérogé (refusé)",
                                        "Dérogé\n",
                                        " Dérogé",
                                        "Dérogé ",
                                        "Dérogé\u00a0",
                                        "Non dérogé",
                                        "\u0301deroge",
                                        "dxe\u0301rog\u00e9",
                                        "Valide\u0301e",
                                        "Validation",
                                        "Valid",
                                        "Validé, à revoir",
                                        "Déposée",
                                        "Dépôt",
                                        "Dépos",
                                        "Attendus",
                                        "Attend",
                                        "Attendu depuis mars",
                                        "D\u00f8roge"}) {
    EXPECT_EQ(recognise(status), PieceStatus::unknown) << status;
  }
}

// As far as a status is looked at, and beyond.
TEST(PieceStatus, NoEndIsCutOff) {
  for (std::size_t length = 1; length <= 64; ++length) {
    for (const std::string_view known : {"Dérogé", "Dérogée", "Validé", "Déposé", "Attendu"}) {
      EXPECT_EQ(recognise(std::string(known) + std::string(length, 'x')), PieceStatus::unknown) << known << length;
    }
  }
  std::string marks = "De\u0301roge";
  for (int i = 0; i < 1000; ++i) marks += "\u0301";
  EXPECT_EQ(recognise(marks), PieceStatus::derogated);
  EXPECT_EQ(recognise(marks + "ation"), PieceStatus::unknown);
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
