#include "core/portal/records/third_party.hpp"

#include "core/portal/records/lines.hpp"

namespace portail {

std::string_view wire_name(Relation relation) { return relation == Relation::user ? "utilisateur" : "gestionnaire"; }

Result<ThirdParty> read_third_party(std::string_view value) {
  const std::size_t end = value.find('\n');
  Fields fields(value.substr(0, end));
  ThirdParty third_party;
  if (!read_fields(fields, third_party) || end == std::string_view::npos) return std::unexpected(Failure::corrupt);
  third_party.person_lines = value.substr(end + 1);
  return third_party;
}

std::string encode_third_party(const ThirdParty& third_party) {
  std::string text;
  append_fields(text, third_party);
  text += '\n';
  return text.append(third_party.person_lines);
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
