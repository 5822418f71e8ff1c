#include "core/exchange/steps/differences.hpp"

#include "core/portal/records/fields.hpp"

namespace portail {
namespace {

void add_if(bool differs, std::string_view member, MemberNames& members) {
  if (differs) members.push_back(member);
}

// The lines of those who stand in that relation, in their order.
std::vector<std::string_view> people(const ThirdParty& third_party, Relation relation) {
  std::vector<std::string_view> found;
  for (Lines lines(third_party.person_lines); const auto line = lines.next();) {
    if (line->starts_with(wire_name(relation))) found.push_back(*line);
  }
  return found;
}

}  // namespace

MemberNames differences(const ThirdParty& before, const ThirdParty& after) {
  MemberNames members;
  add_if(before.last_name != after.last_name, "nomTiers", members);
  add_if(before.first_name != after.first_name, "prenomTiers", members);
  add_if(people(before, Relation::user) != people(after, Relation::user), "utilisateurs", members);
  add_if(people(before, Relation::manager) != people(after, Relation::manager), "gestionnaires", members);
  return members;
}

MemberNames differences(const Bundle& before, const Bundle& after) {
  MemberNames members;
  add_if(before.name != after.name, "nomDossier", members);
  add_if(before.creation_date != after.creation_date, "creationDate", members);
  add_if(before.third_party != after.third_party, "numeroTiers", members);
  add_if(before.loan != after.loan, "numeroPret", members);
  add_if(before.amount != after.amount, "montantOpportunite", members);
  add_if(before.put_in_place != after.put_in_place, "opportuniteMiseEnPlace", members);
  add_if(before.piece_lines != after.piece_lines, "piecesAttendues", members);
  return members;
}

MemberNames differences(const OwnedMailObject& before, const OwnedMailObject& after) {
  MemberNames members;
  add_if(before.type != after.type, "typeObjet", members);
  add_if(before.description != after.description, "description", members);
  add_if(before.template_file != after.template_file, "fichierModele", members);
  return members;
}

MemberNames differences(const Configuration& before, const Configuration& after) {
  MemberNames members;
  add_if(before.usable_for_bundle != after.usable_for_bundle, "utilisablePourLiasse", members);
  add_if(before.assignment != after.assignment, "typeAffectation", members);
  return members;
}

}  // namespace portail
