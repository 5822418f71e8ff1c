#include "core/exchange/steps/differences.hpp"

#include <initializer_list>
#include <map>
#include <utility>

#include "core/exchange/changes.hpp"
#include "core/json/normal_form.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

struct ComparedMember {
  std::string_view member;
  bool differs;
};

MemberNames differing_members(std::initializer_list<ComparedMember> members) {
  MemberNames names;
  for (const ComparedMember& each : members) {
    if (each.differs) names.push_back(each.member);
  }
  return names;
}

// Returns the lines of the people with that relation, in their order.
std::vector<std::string_view> people(const ThirdParty& third_party, Relation relation) {
  std::vector<std::string_view> found;
  for (Lines lines(third_party.person_lines); const auto line = lines.next();) {
    if (line->starts_with(wire_name(relation))) found.push_back(*line);
  }
  return found;
}

constexpr std::string_view no_status = "null";

struct StoredStatus {
  std::string_view id;
  std::string_view status;
};

Result<std::vector<StoredStatus>> piece_statuses(const Bundle* bundle) {
  std::vector<StoredStatus> found;
  if (!bundle) return found;
  for (Pieces pieces(*bundle);;) {
    const auto piece = pieces.next();
    if (!piece) return std::unexpected(piece.error());
    if (!*piece) return found;
    found.push_back({(*piece)->id, (*piece)->status});
  }
}

}  // namespace

MemberNames differences(const ThirdParty& before, const ThirdParty& after) {
  return differing_members({{"nomTiers", before.last_name != after.last_name},
                            {"prenomTiers", before.first_name != after.first_name},
                            {"utilisateurs", people(before, Relation::user) != people(after, Relation::user)},
                            {"gestionnaires", people(before, Relation::manager) != people(after, Relation::manager)}});
}

MemberNames differences(const Bundle& before, const Bundle& after) {
  return differing_members({{"nomDossier", before.name != after.name},
                            {"creationDate", before.creation_date != after.creation_date},
                            {"numeroTiers", before.third_party != after.third_party},
                            {"numeroPret", before.loan != after.loan},
                            {"montantOpportunite", before.amount != after.amount},
                            {"opportuniteMiseEnPlace", before.put_in_place != after.put_in_place},
                            {"piecesAttendues", before.piece_lines != after.piece_lines}});
}

MemberNames differences(const OwnedMailObject& before, const OwnedMailObject& after) {
  return differing_members({{"typeObjet", before.type != after.type},
                            {"description", before.description != after.description},
                            {"fichierModele", before.template_file != after.template_file}});
}

MemberNames differences(const Configuration& before, const Configuration& after) {
  return differing_members({{"utilisablePourLiasse", before.usable_for_bundle != after.usable_for_bundle},
                            {"typeAffectation", before.assignment != after.assignment}});
}

Result<std::vector<PieceChange>> piece_changes(const Bundle* before, const Bundle* after) {
  const auto old_pieces = piece_statuses(before);
  const auto new_pieces = piece_statuses(after);
  if (!old_pieces || !new_pieces) return std::unexpected(Failure::corrupt);
  std::map<std::string_view, std::string_view> old_statuses;
  for (const StoredStatus& piece : *old_pieces) old_statuses.emplace(piece.id, piece.status);
  std::vector<PieceChange> changes;
  for (const StoredStatus& piece : *new_pieces) {
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
