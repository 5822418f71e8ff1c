// The completion of a bundle (docs/reference/contract.md, "Answers: statut of a bundle", "Answers: completion",
// "Answers: which pieces count"). Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/portal/piece_status.hpp"

namespace portail {

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
