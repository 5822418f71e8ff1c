// The value `tiers.ID`: a third party (tiers).
//
//   line 1   "numeroTiers" TAB "nomTiers" TAB "prenomTiers"
//   then     utilisateur TAB "sub"       one line each, and
//            gestionnaire TAB "sub"
//
// Lines of other relations or with further fields, which a later version wrote, give no visibility. Views into the
// stored value; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/failure.hpp"

namespace portail {

// The relation in which a person sees a third party's bundles.
enum class Relation : std::uint8_t { user, manager };

std::string_view wire_name(Relation relation);  // utilisateur, gestionnaire

struct ThirdParty {
  std::string_view number;      // JSON string, like the names
  std::string_view last_name;   // nomTiers
  std::string_view first_name;  // prenomTiers
  std::string_view person_lines;
};

Result<ThirdParty> read_third_party(std::string_view value);
// Returns the value to store. `users` and `managers` are JSON strings; `third_party.person_lines` is not read.
std::string encode_third_party(const ThirdParty& third_party, std::span<const std::string_view> users,
                               std::span<const std::string_view> managers);

// Whether `person` (a `sub` as a JSON string) has that relation to the third party. This is authoritative for
// visibility.
bool has_relation(const ThirdParty& third_party, Relation relation, std::string_view person);

}  // namespace portail
