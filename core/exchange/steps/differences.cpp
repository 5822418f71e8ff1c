#include "core/exchange/steps/differences.hpp"

#include <map>
#include <utility>

#include "core/exchange/changes.hpp"
#include "core/json/normal_form.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

// Returns the lines of the people with that relation, in their order.
std::vector<std::string_view> people(const ThirdParty& third_party, Relation relation) {
  std::vector<std::string_view> found;
  for (Lines lines(third_party.person_lines); const auto line = lines.next();) {
    if (line->starts_with(wire_name(relation))) found.push_back(*line);
  }
  return found;
}

constexpr std::string_view no_status = "null";

Result<std::vector<ExpectedPiece>> pieces_if_any(const Bundle* bundle) {
  return bundle ? pieces_of(*bundle) : std::vector<ExpectedPiece>();
}

}  // namespace

MemberNames differences(const ThirdParty& before, const ThirdParty& after) {
  MemberNames names = differences<>(before, after);
  for (const auto& [relation, name] : people_names) {
    if (people(before, relation) != people(after, relation)) names.push_back(name);
  }
  return names;
}

MemberNames differences(const Bundle& before, const Bundle& after) {
  MemberNames names = differences<>(before, after);
  if (before.piece_lines != after.piece_lines) names.push_back(pieces_name);
  return names;
}

MemberNames differences(const OwnedMailObject& before, const OwnedMailObject& after) {
  MemberNames names = differences(before.view(), after.view());
  if (before.template_file != after.template_file) names.emplace_back("fichierModele");
  return names;
}

MemberNames differences(const Configuration& before, const Configuration& after) {
  MemberNames names;
  if (before.usable_for_bundle != after.usable_for_bundle) names.emplace_back("utilisablePourLiasse");
  if (before.assignment != after.assignment) names.emplace_back("typeAffectation");
  return names;
}

Result<std::vector<PieceChange>> piece_changes(const Bundle* before, const Bundle* after) {
  const auto old_pieces = pieces_if_any(before);
  const auto new_pieces = pieces_if_any(after);
  if (!old_pieces || !new_pieces) return std::unexpected(Failure::corrupt);
  std::map<std::string_view, std::string_view> old_statuses;
  for (const ExpectedPiece& piece : *old_pieces) old_statuses.emplace(piece.id, piece.status);
  std::vector<PieceChange> changes;
  for (const ExpectedPiece& piece : *new_pieces) {
    const auto old = old_statuses.extract(piece.id);
    const std::string_view from = old ? old.mapped() : no_status;
    if (from != piece.status && composed(from) != composed(piece.status)) {
      changes.push_back({.id = piece.id, .from = from, .to = piece.status});
    }
  }
  for (const auto& [id, status] : old_statuses) changes.push_back({.id = id, .from = status, .to = no_status});
  return changes;
}

}  // namespace portail
