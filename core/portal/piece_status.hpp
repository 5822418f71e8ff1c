// What the portal makes of a piece's status, which the source writes in its own words (docs/reference/contract.md,
// "Answers: piece statut").
#pragma once

#include <cstdint>
#include <string_view>

namespace portail {

enum class PieceStatus : std::uint8_t { expected, deposited, validated, derogated, unknown };

// `status` is UTF-8 text, or a JSON string with its quotes. Case and accents, composed or decomposed, make no
// difference; anything else does: only Dérogé and Dérogée are derogated, and "Dérogation refusée" is unknown.
PieceStatus recognise(std::string_view status);

}  // namespace portail
