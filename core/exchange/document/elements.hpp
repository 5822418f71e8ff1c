// The elements of an import document, checked and converted to their stored form. Rules about one element are checked
// here, rules about several in steps/check.hpp. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/auth/grants.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/portal/records/configuration.hpp"

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
// Return the value to store; a bundle has an empty revision and a count of 0 deposits.
std::optional<std::string> parse_third_party(const Element& element, Faults& faults);
std::optional<std::string> parse_bundle(const Element& element, Faults& faults);
std::optional<GrantElement> parse_grant(const Element& element, Faults& faults);

}  // namespace portail
