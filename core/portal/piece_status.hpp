// Parses the statuses of pieces, which the source spells in several ways (docs/reference/contract.md, "Answers: piece
// statut").
#pragma once

#include <cstdint>
#include <string_view>

namespace portail {

enum class PieceStatus : std::uint8_t { expected, deposited, validated, derogated, unknown };

// Parses `status`: UTF-8 text, or a JSON string with its quotes. Case and accents, composed or decomposed, are ignored.
// Only Dérogé and Dérogée are derogated; "Dérogation refusée" is unknown.
PieceStatus parse_piece_status(std::string_view status);

}  // namespace portail
