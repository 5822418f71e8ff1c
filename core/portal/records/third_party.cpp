#include "core/portal/records/third_party.hpp"

#include "core/portal/records/lines.hpp"

namespace portail {

std::string_view wire_name(Relation relation) { return relation == Relation::user ? "utilisateur" : "gestionnaire"; }

Result<ThirdParty> read_third_party(std::string_view value) {
  auto third_party = read_record<ThirdParty>(value);
  if (third_party) third_party->person_lines = value.substr(value.find('\n') + 1);
  return third_party;
}

void append_person(std::string& person_lines, Relation relation, std::string_view person) {
  person_lines.append(wire_name(relation)).append("\t").append(person) += '\n';
}

bool has_relation(const ThirdParty& third_party, Relation relation, std::string_view person) {
  Lines lines(third_party.person_lines);
  while (const auto line = lines.next()) {
    Fields fields(*line);
    if (fields.next_or_empty() == wire_name(relation) && fields.next_or_empty() == person && !fields.next())
      return true;
  }
  return false;
}

}  // namespace portail
