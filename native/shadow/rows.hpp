// The rows of docs/reference/contract.md that a comparison of two services can check. Constant; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace portail::shadow {

// "Section: row" of the page, and "Resources: member" of its tables of resources, in the order of the page.
inline constexpr std::array compared_rows = std::to_array<std::string_view>({
    "Resources: id",
    "Resources: typeObjet",
    "Resources: description",
    "Resources: utilisablePourLiasse",
    "Resources: typeAffectation",
    "Resources: nomDossier",
    "Resources: piecesAttendues",
    "Resources: numeroTiers",
    "Resources: nomTiers",
    "Resources: prenomTiers",
    "Resources: numeroPret",
    "Resources: opportuniteMiseEnPlace",
    "Resources: motif",
    "Requests: routes, the nine of the interface",
    "Requests: sorting",
    "Requests: methods, 405 and Allow",
    "Answers: content type",
    "Answers: JSON text",
    "Answers: paged list",
    "Answers: list-all",
    "Answers: bundle lists",
    "Answers: mail object",
    "Answers: mail object inside a piece",
    "Answers: creationDate",
    "Answers: montantOpportunite",
    "Answers: statut of a bundle",
    "Answers: completion",
    "Answers: piece statut",
    "Answers: derogated pieces, by id",
    "Answers: derogated pieces, lists",
    "Answers: erreur",
    "Answers: deposeeDepuisDerniereConsultation, deposits",
    "Answers: template file",
    "Answers: template file, 404",
    "Answers: validators, ETag on every 200",
    "Answers: caching",
    "Answers: caching, Vary",
    "Answers: always, nosniff",
    "Answers: always, X-Correlation-Id",
    "Who sees what: GET /liasse",
    "Who sees what: dashboard-list",
    "Who sees what: GET /liasse/{id}",
    "Tokens: 401",
    "Errors: body and _AbpErrorFormat",
    "Errors: 400 from validation",
    "Errors: 403 of a permission",
    "Errors: 404 of an entity",
    "Errors: 500",
    "Errors: 503",
    "Errors: language",
    "Also answered: application-configuration, a caller",
    "Also answered: application-configuration, localization",
});

// One of these rows; an unknown name does not compile.
class RowName {
 public:
  consteval RowName(const char* text) : text_(text) {
    if (!std::ranges::contains(compared_rows, text_)) not_a_row();
  }
  constexpr operator std::string_view() const { return text_; }

 private:
  static void not_a_row() {}  // not constexpr: reaching it is a compile error

  std::string_view text_;
};

}  // namespace portail::shadow
