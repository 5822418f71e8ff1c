#include "core/api/representations.hpp"

#include <optional>
#include <string_view>

#include "core/json/writer.hpp"
#include "core/portal/completion.hpp"
#include "core/portal/piece_status.hpp"

namespace portail {
namespace {

void append_members(std::string& out, const MailObject& object, Configuration configuration) {
  out += "{\"id\":";
  append_json_integer(out, static_cast<std::int64_t>(object.id));
  out += ",\"typeObjet\":";
  out += object.type;
  out += ",\"description\":";
  out += object.description;
  out += configuration.usable_for_bundle ? ",\"utilisablePourLiasse\":true" : ",\"utilisablePourLiasse\":false";
  out += ",\"typeAffectation\":\"";
  out += wire_name(configuration.assignment);
  out += "\",\"lienFichier\":";
  if (object.template_file) {
    out += "\"/api/app/objet-courrier/";
    append_json_integer(out, static_cast<std::int64_t>(object.id));
    out += "/fichier-modele\"";
  } else {
    out += "null";
  }
}

// The mail object inside a piece: the same members, and nomFichier.
void append_embedded(std::string& out, const MailObject& object, Configuration configuration) {
  append_members(out, object, configuration);
  out += ",\"nomFichier\":";
  out += object.template_file ? object.template_file->file_name : "null";
  out += '}';
}

// What stands between the quotes of a JSON string.
std::string_view inside(std::string_view json_string) { return json_string.substr(1, json_string.size() - 2); }

bool has_reason(const ExpectedPiece& piece) { return piece.reason != "null" && piece.reason != "\"\""; }

}  // namespace

void append_mail_object(std::string& out, const MailObject& object, Configuration configuration) {
  append_members(out, object, configuration);
  out += '}';
}

Result<void> append_bundle(std::string& out, const Bundle& bundle, const ThirdParty& third_party,
                           const BundleView& view) {
  // The pieces are written aside, since the status, the completion and the errors that they add up to stand before
  // them.
  Completion completion;
  std::string errors;
  std::string pieces;
  Pieces remaining(bundle);
  for (;;) {
    const auto next = remaining.next();
    if (!next) return std::unexpected(next.error());
    if (!*next) break;
    const ExpectedPiece& piece = **next;
    const auto object = view.mail_objects.find(piece.mail_object);
    if (!object) return std::unexpected(object.error());
    if (!*object) return std::unexpected(Failure::unavailable);

    const PieceStatus status = recognise(piece.status);
    completion.count(status);
    if (has_reason(piece) && status != PieceStatus::validated && status != PieceStatus::derogated) {
      if (!errors.empty()) errors += " ; ";
      errors += inside((*object)->type);
      errors += " : ";
      errors += inside(piece.reason);
    }
    if (view.leave_out_derogated && status == PieceStatus::derogated) continue;
    pieces += pieces.empty() ? "{\"id\":\"" : ",{\"id\":\"";
    pieces += piece.id;
    pieces += "\",\"objetCourrier\":";
    append_embedded(pieces, **object, view.configurations.of(piece.mail_object));
    pieces += ",\"statut\":";
    pieces += piece.status;
    pieces += ",\"motif\":";
    pieces += piece.reason;
    pieces += '}';
  }

  out += "{\"id\":";
  out += bundle.id;
  out += ",\"nomDossier\":";
  out += bundle.name;
  out += ",\"creationDate\":\"";
  out += bundle.creation_date;
  out += "\",\"statut\":\"";
  out += completion.status();
  out += "\",\"completion\":";
  out += completion.percentage();
  out += view.deposited_since ? ",\"deposeeDepuisDerniereConsultation\":true"
                              : ",\"deposeeDepuisDerniereConsultation\":false";
  out += ",\"erreur\":";
  if (errors.empty()) {
    out += "null";
  } else {
    out += '"';
    out += errors;
    out += '"';
  }
  out += ",\"piecesAttendues\":[";
  out += pieces;
  out += "],\"numeroTiers\":";
  out += third_party.number;
  out += ",\"nomTiers\":";
  out += third_party.last_name;
  out += ",\"prenomTiers\":";
  out += third_party.first_name;
  out += ",\"numeroPret\":";
  out += bundle.loan;
  out += ",\"montantOpportunite\":";
  out += bundle.amount;
  out += bundle.put_in_place ? ",\"opportuniteMiseEnPlace\":true}" : ",\"opportuniteMiseEnPlace\":false}";
  return {};
}

}  // namespace portail
