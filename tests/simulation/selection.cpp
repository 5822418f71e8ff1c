#include "tests/simulation/selection.hpp"

#include <cctype>
#include <cstdio>
#include <optional>
#include <string_view>

namespace portail::simulation {
namespace {

// The French letters outside ASCII.
constexpr std::pair<std::string_view, std::string_view> letters[] = {
    {"\u00c0", "\u00e0"}, {"\u00c2", "\u00e2"}, {"\u00c4", "\u00e4"}, {"\u00c6", "\u00e6"}, {"\u00c7", "\u00e7"},
    {"\u00c8", "\u00e8"}, {"\u00c9", "\u00e9"}, {"\u00ca", "\u00ea"}, {"\u00cb", "\u00eb"}, {"\u00ce", "\u00ee"},
    {"\u00cf", "\u00ef"}, {"\u00d4", "\u00f4"}, {"\u00d6", "\u00f6"}, {"\u00d9", "\u00f9"}, {"\u00db", "\u00fb"},
    {"\u00dc", "\u00fc"}, {"\u0152", "\u0153"}, {"\u0178", "\u00ff"}};

std::string in_lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const auto& [capital, small] : letters) {
    for (std::size_t at = 0; (at = text.find(capital, at)) != std::string::npos; at += small.size()) {
      text.replace(at, capital.size(), small);
    }
  }
  return text;
}

std::optional<std::string> link_of(const Listed& listed) {
  if (!listed.configured.object.file) return std::nullopt;
  return "/api/app/objet-courrier/" + std::to_string(listed.id) + "/fichier-modele";
}

// Negative: left comes first.
template <class T>
int compared(const T& left, const T& right) {
  return left < right ? -1 : right < left ? 1 : 0;
}

int compared(SortField field, const Listed& left, const Listed& right) {
  const auto& [object, configuration] = left.configured;
  const auto& [other_object, other_configuration] = right.configured;
  switch (field) {
    case SortField::id:
      return compared(left.id, right.id);
    case SortField::type:
      return compared(object.type, other_object.type);
    case SortField::description:
      return compared(object.description, other_object.description);
    case SortField::usable:
      return compared(configuration.usable, other_configuration.usable);
    case SortField::assignment:
      return compared(configuration.assignment, other_configuration.assignment);
    case SortField::link:
      return compared(link_of(left), link_of(right));
  }
  return 0;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 && byte < 128) {
      encoded += c;
      continue;
    }
    char digits[4];
    std::snprintf(digits, sizeof digits, "%%%02X", static_cast<unsigned>(byte));
    encoded += digits;
  }
  return encoded;
}

std::string random_order(Selection& selection, SeededRandom& random) {
  static const std::vector<std::pair<std::string, SortField>> fields{{"id", SortField::id},
                                                                     {"typeObjet", SortField::type},
                                                                     {"description", SortField::description},
                                                                     {"utilisablePourLiasse", SortField::usable},
                                                                     {"typeAffectation", SortField::assignment},
                                                                     {"lienFichier", SortField::link}};
  static const std::vector<std::pair<std::string, bool>> directions{
      {"", false}, {" asc", false}, {" desc", true}, {" DESC", true}, {"  Asc ", false}};
  std::string text;
  for (std::size_t keys = 1 + random.below(3); keys > 0; --keys) {
    auto [name, field] = random.pick(fields);
    const auto& [direction, descending] = random.pick(directions);
    if (random.one_in(4)) name = in_lower_case(name);
    text += (text.empty() ? "" : ",") + name + direction;
    selection.order.emplace_back(field, descending);  // a repeated field orders nothing more
  }
  if (random.one_in(12)) {
    text += random.one_in(2) ? ",identifiant" : " up";
    selection.is_invalid = true;
  }
  return text;
}

}  // namespace

bool Selection::matches(const MailObject& object) const {
  const std::string wanted = in_lower_case(filter);
  return in_lower_case(object.type).find(wanted) != std::string::npos ||
         in_lower_case(object.description).find(wanted) != std::string::npos;
}

bool Selection::precedes(const Listed& left, const Listed& right) const {
  for (const auto& [field, descending] : order) {
    const int result = compared(field, left, right);
    if (result != 0) return descending ? result > 0 : result < 0;
  }
  return left.id < right.id;
}

Selection random_selection(SeededRandom& random) {
  static const std::vector<std::string> filters{"relev\u00e9", "RELEV\u00c9", "releve",   "de pr\u00caT",
                                                "\u0153uvre",  "\u0152U",     "HA\u0178", "ha\u00ff",
                                                "a",           "\"ACTE\"",    "\u20ac",   "zz1",
                                                "\\b",         " 1",          "%",        "\U0001F4C4 relev\u00e9"};
  Selection selection;
  if (random.one_in(3)) return selection;
  if (random.one_in(2)) {
    selection.filter = random.pick(filters);
    selection.query += "&Filter=" + percent_encoded(selection.filter);
  } else if (random.one_in(4)) {
    selection.query += "&filter=%20";
  }
  if (!random.one_in(3)) selection.query += "&Sorting=" + percent_encoded(random_order(selection, random));
  return selection;
}

}  // namespace portail::simulation
