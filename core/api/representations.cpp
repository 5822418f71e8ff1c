#include "core/api/representations.hpp"

#include <optional>
#include <string_view>

#include "core/base/text.hpp"
#include "core/json/writer.hpp"
#include "core/portal/completion.hpp"

namespace portail {
namespace {

void append_members(std::string& out, const MailObject& object, Configuration configuration) {
  out += "{\"id\":";
  append_json_integer(out, static_cast<std::int64_t>(object.id));
  append_all(out,
             {",\"typeObjet\":", object.type, ",\"description\":", object.description,
              configuration.usable_for_bundle ? ",\"utilisablePourLiasse\":true" : ",\"utilisablePourLiasse\":false",
              ",\"typeAffectation\":\"", wire_name(configuration.assignment), "\",\"lienFichier\":"});
  if (object.template_file) {
    out += "\"/api/app/objet-courrier/";
    append_json_integer(out, static_cast<std::int64_t>(object.id));
    out += "/fichier-modele\"";
  } else {
    out += "null";
  }
}

// Appends the mail object of a piece: the same members, and nomFichier.
void append_embedded(std::string& out, const MailObject& object, Configuration configuration) {
  append_members(out, object, configuration);
  out += ",\"nomFichier\":";
  out += object.template_file ? object.template_file->file_name : "null";
  out += '}';
}

// Returns the content of a JSON string, without its quotes.
std::string_view inside(std::string_view json_string) { return json_string.substr(1, json_string.size() - 2); }

bool has_reason(const ExpectedPiece& piece) { return piece.reason != "null" && piece.reason != "\"\""; }

}  // namespace

void append_mail_object(std::string& out, const MailObject& object, Configuration configuration) {
  append_members(out, object, configuration);
  out += '}';
}

Result<const BundleWriter::Embedded*> BundleWriter::embedded(std::uint64_t id) {
  if (const auto cached = embedded_.find(id); cached != embedded_.end()) return &cached->second;
  const auto object = mail_objects_.find(id);
  if (!object) return std::unexpected(object.error());
  if (!*object) return std::unexpected(Failure::unavailable);
  Embedded& entry = embedded_[id];
  entry.type = (*object)->type;
  append_embedded(entry.text, **object, configurations_.of(id));
  occupied_ += sizeof entry + entry.text.capacity();
  return &entry;
}

Result<Completion> BundleWriter::write_pieces(const Bundle& bundle) {
  Completion completion;
  pieces_.clear();
  errors_.clear();
  Pieces remaining(bundle);
  for (;;) {
    const auto next = remaining.next();
    if (!next) return std::unexpected(next.error());
    if (!*next) return completion;
    const ExpectedPiece& piece = **next;
    const auto object = embedded(piece.mail_object_id);
    if (!object) return std::unexpected(object.error());

    const PieceStatus status = parse_piece_status(piece.status);
    completion.count(status);
    if (has_reason(piece) && status != PieceStatus::validated && status != PieceStatus::derogated) {
      append_all(errors_, {errors_.empty() ? "" : " ; ", inside((*object)->type), " : ", inside(piece.reason)});
    }
    if (omit_derogated_ && status == PieceStatus::derogated) continue;
    append_all(pieces_, {pieces_.empty() ? "{\"id\":\"" : ",{\"id\":\"", piece.id, "\",\"objetCourrier\":",
                         (*object)->text, ",\"statut\":", piece.status, ",\"motif\":", piece.reason, "}"});
  }
}

Result<void> BundleWriter::append(std::string& out, const Bundle& bundle, const ThirdParty& third_party,
                                  bool deposited_since) {
  // The pieces are written to a buffer: status, completion and errors, which depend on them, precede them in the
  // answer.
  const auto completion = write_pieces(bundle);
  if (!completion) return std::unexpected(completion.error());
  const std::string_view quote = errors_.empty() ? "" : "\"";
  append_all(out, {"{\"id\":",
                   bundle.id,
                   ",\"nomDossier\":",
                   bundle.name,
                   ",\"creationDate\":\"",
                   bundle.creation_date,
                   "\",\"statut\":\"",
                   completion->status(),
                   "\",\"completion\":",
                   completion->percentage(),
                   deposited_since ? ",\"deposeeDepuisDerniereConsultation\":true"
                                   : ",\"deposeeDepuisDerniereConsultation\":false",
                   ",\"erreur\":",
                   quote,
                   errors_.empty() ? "null" : std::string_view(errors_),
                   quote,
                   ",\"piecesAttendues\":[",
                   pieces_,
                   "],\"numeroTiers\":",
                   third_party.number,
                   ",\"nomTiers\":",
                   third_party.last_name,
                   ",\"prenomTiers\":",
                   third_party.first_name,
                   ",\"numeroPret\":",
                   bundle.loan,
                   ",\"montantOpportunite\":",
                   bundle.amount,
                   ",\"opportuniteMiseEnPlace\":",
                   bundle.put_in_place,
                   "}"});
  return {};
}

}  // namespace portail
