// The statuses of pieces, and the status and completion of a bundle that follow from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portail {

// Parses the statuses of pieces, which the source spells in several ways (docs/reference/contract.md, "Answers: piece
// statut").

enum class PieceStatus : std::uint8_t { expected, deposited, validated, derogated, unknown };

// Parses `status`: UTF-8 text, or a JSON string with its quotes. Case and accents, composed or decomposed, are ignored.
// Only Dérogé and Dérogée are derogated; "Dérogation refusée" is unknown.
PieceStatus parse_piece_status(std::string_view status);

// The completion of a bundle (docs/reference/contract.md, "Answers: statut of a bundle", "Answers: completion",
// "Answers: which pieces count"). Any thread.

struct Completion {
  std::size_t pieces = 0;
  std::size_t validated = 0;

  void count(PieceStatus status) {
    ++pieces;
    if (status == PieceStatus::validated) ++validated;
  }
  // Returns the status. A bundle without pieces is complete.
  [[nodiscard]] std::string_view status() const { return validated == pieces ? "Complet" : "En cours"; }
  // Returns 100 × validated / pieces as a JSON number: the shortest decimal that parses to the same double.
  // std::to_chars for doubles would make the wasm larger than this whole module.
  [[nodiscard]] std::string percentage() const;
};

}  // namespace portail
