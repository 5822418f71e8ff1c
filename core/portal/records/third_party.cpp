#include "core/portal/records/third_party.hpp"

#include "core/portal/records/lines.hpp"

namespace portail {

std::string_view wire_name(Relation relation) { return relation == Relation::user ? "utilisateur" : "gestionnaire"; }

Result<ThirdParty> read_third_party(std::string_view value) {
  const std::size_t end = value.find('\n');
  Fields fields(value.substr(0, end));
  ThirdParty third_party;
  third_party.number = fields.next_or_empty();
  third_party.last_name = fields.next_or_empty();
  third_party.first_name = fields.next_or_empty();
  if (end == std::string_view::npos || third_party.first_name.empty()) return std::unexpected(Failure::corrupt);
  third_party.person_lines = value.substr(end + 1);
  return third_party;
}

std::string encode_third_party(const ThirdParty& third_party, std::span<const std::string_view> users,
                               std::span<const std::string_view> managers) {
  std::string text;
  text += third_party.number;
  text += '\t';
  text += third_party.last_name;
  text += '\t';
  text += third_party.first_name;
  text += '\n';
  const auto append_people = [&text](Relation relation, std::span<const std::string_view> people) {
    for (const std::string_view person : people) {
      text += wire_name(relation);
      text += '\t';
      text += person;
      text += '\n';
    }
  };
  append_people(Relation::user, users);
  append_people(Relation::manager, managers);
  return text;
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
