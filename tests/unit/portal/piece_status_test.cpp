#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/portal/completion.hpp"

namespace portail {
namespace {

TEST(PieceStatus, KnownWordsInEverySpelling) {
  EXPECT_EQ(parse_piece_status("Attendu"), PieceStatus::expected);
  EXPECT_EQ(parse_piece_status("Déposé"), PieceStatus::deposited);
  EXPECT_EQ(parse_piece_status("Validé"), PieceStatus::validated);
  EXPECT_EQ(parse_piece_status("VALIDÉ"), PieceStatus::validated);
  EXPECT_EQ(parse_piece_status("valide"), PieceStatus::validated);
  EXPECT_EQ(parse_piece_status("Valide\u0301"), PieceStatus::validated);
  EXPECT_EQ(parse_piece_status("\"Validé\""), PieceStatus::validated);
}

TEST(PieceStatus, TheSameTextComposedOrNot) {
  for (const std::string_view status : {"Valid\u1ebd", "Valide\u0303", "Va\u1e37id\u0117", "Val\u0323ide\u0307"}) {
    EXPECT_EQ(parse_piece_status(status), PieceStatus::validated) << status;
  }
  for (const std::string_view status : {"D\u0113pos\u00e9", "De\u0304pose\u0301", "\u1e12\u1ec6po\u1e61\u1ec7"}) {
    EXPECT_EQ(parse_piece_status(status), PieceStatus::deposited) << status;
  }
}

TEST(PieceStatus, TwoWordsAreDerogatedInAnyCaseAndWithAnyAccents) {
  for (const std::string_view status : {"Dérogé",
                                        "Dérogée",
                                        "DÉROGÉ",
                                        "DÉROGÉE",
                                        "dérogé",
                                        "deroge",
                                        "Derogee",
                                        "DEROGE",
                                        "De\u0301roge\u0301",
                                        "De\u0301roge\u0301e",
                                        "DE\u0301ROGE\u0301E",
                                        "D\u00e9roge\u0301e",
                                        "de\u0301rog\u00c9",
                                        "Dèrogê",
                                        "De\u0301\u0323roge",
                                        "Deroge\u0300",
                                        "Deroge\u0340",
                                        "Deroge\u036f",
                                        "\"Dérogée\"",
                                        "\"Deroge\u0301\""}) {
    EXPECT_EQ(parse_piece_status(status), PieceStatus::derogated) << status;
  }
}

TEST(PieceStatus, PrefixesAndSuffixesOfKnownWordsAreUnknown) {
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
                                        "Valid\u4e2d",
                                        "Valid\u1d49",
                                        "Validation",
                                        "Valid",
                                        "Validé, à revoir",
                                        "Déposée",
                                        "Dépôt",
                                        "Dépos",
                                        "Attendus",
                                        "Attend",
                                        "Attendu depuis mars",
                                        "D\u00f8roge",
                                        "Deroge\u02ff",
                                        "Deroge\u0370"}) {
    EXPECT_EQ(parse_piece_status(status), PieceStatus::unknown) << status;
  }
}

// Up to the truncation of a status, and beyond.
TEST(PieceStatus, NoEndIsCutOff) {
  for (std::size_t length = 1; length <= 64; ++length) {
    for (const std::string_view known : {"Dérogé", "Dérogée", "Validé", "Déposé", "Attendu"}) {
      EXPECT_EQ(parse_piece_status(std::string(known) + std::string(length, 'x')), PieceStatus::unknown)
          << known << length;
    }
  }
  std::string marks = "De\u0301roge";
  for (int i = 0; i < 1000; ++i) marks += "\u0301";
  EXPECT_EQ(parse_piece_status(marks), PieceStatus::derogated);
  EXPECT_EQ(parse_piece_status(marks + "ation"), PieceStatus::unknown);
}

TEST(PieceStatus, AnythingElseIsUnknown) {
  EXPECT_EQ(parse_piece_status(""), PieceStatus::unknown);
  EXPECT_EQ(parse_piece_status("Validée"), PieceStatus::unknown);
  EXPECT_EQ(parse_piece_status("Rejeté"), PieceStatus::unknown);
  EXPECT_EQ(parse_piece_status("Validé "), PieceStatus::unknown);
  EXPECT_EQ(parse_piece_status("Non dérogé"), PieceStatus::unknown);
}

}  // namespace
}  // namespace portail
