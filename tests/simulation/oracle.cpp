#include "tests/simulation/oracle.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace portail::simulation {
namespace {

// Returns the shortest decimal that parses to the same double.
std::string shortest(double value) {
  char digits[40];
  for (int precision = 1; precision <= 17; ++precision) {
    std::snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (std::string(digits).find('e') == std::string::npos && std::strtod(digits, nullptr) == value) break;
  }
  return digits;
}

std::string boolean(bool value) { return value ? "true" : "false"; }

}  // namespace

const std::vector<std::pair<std::string, Meaning>>& statuses() {
  static const std::vector<std::pair<std::string, Meaning>> all{{"Attendu", Meaning::open},
                                                                {"D\u00e9pos\u00e9", Meaning::open},
                                                                {"Valid\u00e9", Meaning::validated},
                                                                {"VALIDE\u0301", Meaning::validated},
                                                                {"D\u00e9rog\u00e9", Meaning::derogated},
                                                                {"De\u0301rog\u00e9e", Meaning::derogated},
                                                                {"Rejet\u00e9", Meaning::open}};
  return all;
}

Meaning meaning_of(const std::string& status) {
  return std::ranges::find(statuses(), status, &std::pair<std::string, Meaning>::first)->second;
}

int new_deposits(const Bundle* before, const Bundle& after) {
  int count = 0;
  for (const Piece& piece : after.pieces) {
    if (!piece.deposit) continue;
    const bool is_known = before && std::ranges::any_of(before->pieces, [&](const Piece& old) {
                            return old.id == piece.id && old.deposit == piece.deposit;
                          });
    if (!is_known) ++count;
  }
  return count;
}

std::string json_string(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  return json + '"';
}

std::string creation_date(const Bundle& bundle) {
  const int local = bundle.minute + bundle.offset * 60;
  char text[64];
  std::snprintf(text, sizeof text, "2024-01-%02dT%02d:%02d:00%c%02d:00", 2 + local / 1440, local / 60 % 24, local % 60,
                bundle.offset < 0 ? '-' : '+', std::abs(bundle.offset));
  return text;
}

std::string mail_object_json(int id, const ConfiguredObject& configured, bool inside_piece) {
  const auto& [object, configuration] = configured;
  const std::string number = std::to_string(id);
  const std::string link = object.file ? "\"/api/app/objet-courrier/" + number + "/fichier-modele\"" : "null";
  std::string json = "{\"id\":" + number + ",\"typeObjet\":" + json_string(object.type) +
                     ",\"description\":" + json_string(object.description) +
                     ",\"utilisablePourLiasse\":" + boolean(configuration.usable) + ",\"typeAffectation\":\"" +
                     configuration.assignment + "\",\"lienFichier\":" + link;
  if (inside_piece) json += ",\"nomFichier\":" + (object.file ? json_string(object.file->name) : "null");
  return json + "}";
}

std::string bundle_json(const std::string& id, const Bundle& bundle, const ThirdParty& third_party,
                        const std::map<int, ConfiguredObject>& objects, bool deposited_since, bool omit_derogated) {
  std::size_t validated = 0;
  std::string errors;
  std::string pieces;
  for (const Piece& piece : bundle.pieces) {
    const Meaning meaning = meaning_of(piece.status);
    const ConfiguredObject& configured = objects.at(piece.object);
    if (meaning == Meaning::validated) ++validated;
    if (meaning == Meaning::open && !piece.reason.value_or("").empty()) {
      errors += (errors.empty() ? "" : " ; ") + configured.object.type + " : " + *piece.reason;
    }
    if (omit_derogated && meaning == Meaning::derogated) continue;
    pieces += (pieces.empty() ? "" : ",");
    pieces += "{\"id\":\"" + piece.id + "\",\"objetCourrier\":" + mail_object_json(piece.object, configured, true) +
              ",\"statut\":" + json_string(piece.status) +
              ",\"motif\":" + (piece.reason ? json_string(*piece.reason) : "null") + "}";
  }
  const std::size_t all = bundle.pieces.size();
  const double completion = all == 0 ? 100 : 100 * static_cast<double>(validated) / static_cast<double>(all);
  return "{\"id\":" + json_string(id) + ",\"nomDossier\":" + json_string(bundle.name) + ",\"creationDate\":\"" +
         creation_date(bundle) + "\",\"statut\":\"" + (validated == all ? "Complet" : "En cours") +
         "\",\"completion\":" + shortest(completion) +
         ",\"deposeeDepuisDerniereConsultation\":" + boolean(deposited_since) +
         ",\"erreur\":" + (errors.empty() ? "null" : json_string(errors)) + ",\"piecesAttendues\":[" + pieces +
         "],\"numeroTiers\":" + json_string(bundle.third_party) +
         ",\"nomTiers\":" + json_string(third_party.last_name) +
         ",\"prenomTiers\":" + json_string(third_party.first_name) + ",\"numeroPret\":" + json_string("P-" + id) +
         ",\"montantOpportunite\":" + bundle.amount + ",\"opportuniteMiseEnPlace\":" + boolean(bundle.in_place) + "}";
}

}  // namespace portail::simulation
