// The elements of an import document, checked and converted to their stored form. Rules about one element are checked
// here, rules about several in steps/check.hpp. Values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/auth/grants.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/exchange/document/members.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {

struct MailObjectElement {
  struct Template {
    std::string file_name;  // a JSON string
    std::string media_type;
    std::string path;  // chemin
  };
  std::uint64_t id = 0;
  std::string fields;  // as a stored line has them (fields_of<MailObject>)
  Configuration configuration;
  std::optional<Template> template_file;
};

struct GrantElement {
  Permission permission{};
  GrantKind kind{};
  std::string name;  // unescaped
};

// Parses an element of the section in the function's name. Returns nullopt after a fault, which is added to `faults`.
std::optional<MailObjectElement> parse_mail_object(const Element& element, Faults& faults);
std::optional<GrantElement> parse_grant(const Element& element, Faults& faults);

// The members of a record besides its fields: their names, and their stored lines. A plain record has none.
template <class Record>
inline constexpr std::array<std::string_view, 0> further_names{};
template <>
inline constexpr std::array further_names<ThirdParty>{people_names.front().name, people_names.back().name};
template <>
inline constexpr std::array further_names<Bundle>{pieces_name};

template <class Record>
std::string further_lines(std::type_identity<Record> /*record*/, Members& /*members*/, Faults& /*faults*/) {
  return {};
}
std::string further_lines(std::type_identity<ThirdParty> record, Members& members, Faults& faults);
std::string further_lines(std::type_identity<Bundle> record, Members& members, Faults& faults);

// Returns the value to store, with an empty revision and a count of 0 deposits.
std::string encode_record(Bundle bundle, std::string_view piece_lines);

// Parses the element of a record. Returns the value to store; nullopt after a fault, which is added to `faults`.
template <class Record>
std::optional<std::string> parse_record(const Element& element, Faults& faults) {
  static constexpr auto names = field_names<Record>(further_names<Record>);
  const std::uint64_t faults_before = faults.count();
  const DocumentLocation location = element.location();
  std::optional<Members> members = Members::of(element.root, location, names, faults, element.text);
  if (!members) return std::nullopt;
  const std::string line = members->line<Record>() + '\n';
  const std::string lines = further_lines(std::type_identity<Record>(), *members, faults);
  const Result<Record> record = read_record<Record>(line);
  if (faults.count() != faults_before || !record) return std::nullopt;
  return encode_record(*record, lines);
}

}  // namespace portail
