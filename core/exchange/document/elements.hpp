// The elements of an import document, checked and converted to their stored form. Rules about one element are checked
// here, rules about several in steps/check.hpp. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/auth/grants.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/portal/records/configuration.hpp"

namespace portail {

// A string of the document as JSON text with its quotes, as core/json writes it. The text is unique for each string.
using JsonText = std::string;

struct MailObjectElement {
  struct Template {
    JsonText file_name;
    std::string media_type;
    std::string path;  // chemin
  };
  std::uint64_t id = 0;
  JsonText type;
  JsonText description;
  Configuration configuration;
  std::optional<Template> template_file;
};

struct ThirdPartyElement {
  std::string raw_number;  // numeroTiers, unescaped: the key's input
  JsonText number;
  JsonText last_name;
  JsonText first_name;
  std::vector<JsonText> users;
  std::vector<JsonText> managers;
};

struct PieceElement {
  std::string id;
  std::uint64_t mail_object = 0;
  JsonText status;
  JsonText reason;  // or null
  std::optional<std::string> deposit;
};

struct BundleElement {
  std::string raw_id;  // unescaped
  JsonText id;
  JsonText name;
  std::string creation_date;
  std::string instant;
  std::string raw_third_party;  // unescaped
  JsonText third_party;
  JsonText loan;
  std::string amount;
  bool put_in_place = false;
  std::vector<PieceElement> pieces;
};

struct GrantElement {
  Permission permission{};
  GrantKind kind{};
  std::string name;  // unescaped
};

// Parses an element of the section in the function's name. Returns nullopt after a fault, which is added to `faults`.
std::optional<MailObjectElement> parse_mail_object(const Element& element, Faults& faults);
std::optional<ThirdPartyElement> parse_third_party(const Element& element, Faults& faults);
std::optional<BundleElement> parse_bundle(const Element& element, Faults& faults);
std::optional<GrantElement> parse_grant(const Element& element, Faults& faults);

}  // namespace portail
