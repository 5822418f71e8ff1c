// The value `tiers.ID`: a third party (tiers).
//
//   line 1   the fields (fields_of<ThirdParty>)
//   then     utilisateur TAB "sub"       one line each, and
//            gestionnaire TAB "sub"
//
// Lines of other relations or with further fields, which a later version wrote, give no visibility. Views into the
// stored value; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/failure.hpp"
#include "core/portal/records/fields.hpp"

namespace portail {

// The relation in which a person sees a third party's bundles.
enum class Relation : std::uint8_t { user, manager };

std::string_view wire_name(Relation relation);  // utilisateur, gestionnaire

struct ThirdParty {
  std::string_view number;
  std::string_view last_name;
  std::string_view first_name;
  std::string_view person_lines;
};

template <>
inline constexpr std::array fields_of<ThirdParty>{
    Field<ThirdParty>{"numeroTiers", &ThirdParty::number, Form::identifier},
    Field<ThirdParty>{"nomTiers", &ThirdParty::last_name, Form::text},
    Field<ThirdParty>{"prenomTiers", &ThirdParty::first_name, Form::text}};

// The people of a third party: their relation, and its name in documents.
struct PeopleName {
  Relation relation;
  std::string_view name;
};
inline constexpr std::array people_names{PeopleName{Relation::user, "utilisateurs"},
                                         PeopleName{Relation::manager, "gestionnaires"}};

Result<ThirdParty> read_third_party(std::string_view value);
// Appends the line of a person, a `sub` as a JSON string. Users come first.
void append_person(std::string& person_lines, Relation relation, std::string_view person);

// Whether `person` (a `sub` as a JSON string) has that relation to the third party. This is authoritative for
// visibility.
bool has_relation(const ThirdParty& third_party, Relation relation, std::string_view person);

}  // namespace portail
