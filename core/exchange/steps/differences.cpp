#include "core/exchange/steps/differences.hpp"

#include <initializer_list>

#include "core/portal/records/fields.hpp"

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

}  // namespace portail
