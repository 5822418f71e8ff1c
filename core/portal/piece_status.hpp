// What the portal makes of a piece's status, which the source writes in its own words (docs/contract.md, "Answers:
// piece statut").
#pragma once

#include <cstdint>
#include <string_view>

namespace portail {

enum class PieceStatus : std::uint8_t { expected, deposited, validated, derogated, unknown };

// `status` is UTF-8 text, or a JSON string with its quotes. Case, and é composed or decomposed, make no difference;
// anything whose unaccented form begins with "derog" is derogated.
PieceStatus recognise(std::string_view status);

}  // namespace portail
