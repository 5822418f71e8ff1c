#include "core/exchange/export.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/auth/grants.hpp"
#include "core/base/printable.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/json/utf8.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/portal/template_file.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// Writes the elements of one section, one a line.
class SectionWriter {
 public:
  SectionWriter(ExportSink& sink, Section section) : sink_(sink) {
    text_ = section == Section::mail_objects ? "{\"" : ",\n\"";
    text_ += name_of(section);
    text_ += "\":[";
  }

  // `append(JsonWriter&)` writes the element. Control characters for terminals are escaped; an import reads the same
  // text.
  template <class Append>
  Result<void> element(Append append) {
    text_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    element_.clear();
    JsonWriter writer(element_);
    append(writer);
    if (!is_valid_utf8(element_)) return std::unexpected(Failure::corrupt);
    append_printable_json(text_, element_);
    return flush();
  }
  Result<void> end(std::string_view after = "") {
    text_ += is_first_ ? "]" : "\n]";
    text_ += after;
    return flush();
  }

 private:
  Result<void> flush() {
    const bool is_written = sink_.write(text_);
    text_.clear();
    if (!is_written) return std::unexpected(Failure::cancelled);
    return {};
  }

  ExportSink& sink_;
  std::string text_;
  std::string element_;
  bool is_first_ = true;
};

// Visits the values of one kind; `write` returns a Result<void>.
template <class Write>
class WritingVisitor final : public Visitor {
 public:
  explicit WritingVisitor(Write write) : write_(write) {}
  bool visit(std::string_view /*key*/, std::string_view value) override {
    outcome_ = write_(value);
    return outcome_.has_value();
  }
  [[nodiscard]] Result<void> outcome() const { return outcome_; }

 private:
  Write write_;
  Result<void> outcome_;
};

Task<void> export_mail_objects(Context& context, KeyValueStore& store, ExportSink& sink) {
  SectionWriter section(sink, Section::mail_objects);
  const StoredMailObjects stored = co_await read_mail_objects(context, store);
  for (const auto& [id, object] : stored.objects) {
    std::string path;
    if (const auto& file = object.template_file) {
      const auto session = co_await store.open(context);
      const auto bytes = co_await read_template_file(context, *session, id, file->size, file->hash);
      if (!bytes) co_await std::unexpected(Failure::corrupt);
      path = "modeles/" + std::to_string(id) + '-' + unquoted(file->file_name);
      if (!sink.write_template(path, *bytes)) co_await std::unexpected(Failure::cancelled);
    }
    const Configuration configuration = stored.configurations.of(id);
    co_await section.element([&](JsonWriter& json) {
      json.begin_object().name("id").integer(static_cast<std::int64_t>(id));
      json.name("typeObjet").raw(object.type).name("description").raw(object.description);
      json.name("utilisablePourLiasse").boolean(configuration.usable_for_bundle);
      json.name("typeAffectation").string(wire_name(configuration.assignment));
      json.name("fichierModele");
      if (const auto& file = object.template_file) {
        json.begin_object().name("nomFichier").raw(file->file_name).name("chemin").string(path);
        json.name("type").string(file->media_type).end_object();
      } else {
        json.null();
      }
      json.end_object();
    });
  }
  co_await section.end();
}

void write_people(JsonWriter& json, const ThirdParty& third_party, Relation relation) {
  json.begin_array();
  Lines lines(third_party.person_lines);
  while (const auto line = lines.next()) {
    Fields fields(*line);
    if (fields.next_or_empty() != wire_name(relation)) continue;
    const std::string_view person = fields.next_or_empty();
    // Further fields, which a later version wrote, may limit the relation.
    if (!fields.next()) json.raw(person);
  }
  json.end_array();
}

Result<void> write_third_party(SectionWriter& section, std::string_view value) {
  const auto third_party = read_third_party(value);
  if (!third_party) return std::unexpected(third_party.error());
  return section.element([&](JsonWriter& json) {
    json.begin_object().name("numeroTiers").raw(third_party->number);
    json.name("nomTiers").raw(third_party->last_name).name("prenomTiers").raw(third_party->first_name);
    json.name("utilisateurs");
    write_people(json, *third_party, Relation::user);
    json.name("gestionnaires");
    write_people(json, *third_party, Relation::manager);
    json.end_object();
  });
}

Result<void> write_pieces(JsonWriter& json, const Bundle& bundle) {
  json.begin_array();
  Pieces pieces(bundle);
  for (;;) {
    const auto piece = pieces.next();
    if (!piece) return std::unexpected(piece.error());
    if (!*piece) break;
    json.begin_object().name("id").string((*piece)->id);
    json.name("objetCourrier").integer(static_cast<std::int64_t>((*piece)->mail_object));
    json.name("statut").raw((*piece)->status).name("motif").raw((*piece)->reason);
    json.name("dateDepot").string_or_null((*piece)->deposit).end_object();
  }
  json.end_array();
  return {};
}

Result<void> write_bundle(SectionWriter& section, std::string_view value) {
  const auto bundle = read_bundle(value);
  if (!bundle) return std::unexpected(bundle.error());
  Result<void> pieces;
  const Result<void> written = section.element([&](JsonWriter& json) {
    json.begin_object().name("id").raw(bundle->id).name("nomDossier").raw(bundle->name);
    json.name("creationDate").string(bundle->creation_date).name("numeroTiers").raw(bundle->third_party);
    json.name("numeroPret").raw(bundle->loan).name("montantOpportunite").raw(bundle->amount);
    json.name("opportuniteMiseEnPlace").boolean(bundle->put_in_place).name("piecesAttendues");
    pieces = write_pieces(json, *bundle);
    json.end_object();
  });
  return pieces ? written : pieces;
}

Task<void> export_values(Context& context, KeyValueStore& store, ExportSink& sink, Section section,
                         std::string_view prefix, Result<void> (*write)(SectionWriter&, std::string_view)) {
  SectionWriter writer(sink, section);
  WritingVisitor visitor([&](std::string_view value) { return write(writer, value); });
  co_await store.scan(context, prefix, visitor);
  co_await visitor.outcome();
  co_await writer.end();
}

Task<void> export_grants(Context& context, KeyValueStore& store, ExportSink& sink) {
  const auto session = co_await store.open(context);
  const AuditedValue audited = co_await read_stored_grants(context, *session);
  const Grants grants = co_await Grants::parse(audited.content);

  SectionWriter section(sink, Section::grants);
  Result<void> outcome;
  grants.for_each([&](Permission permission, GrantKind kind, std::string_view name) {
    if (!outcome) return;
    outcome = section.element([&](JsonWriter& json) {
      json.begin_object().name("permission").string(name_of(permission));
      json.name(name_of(kind)).raw(name).end_object();
    });
  });
  co_await std::move(outcome);
  co_await section.end("}\n");
}

}  // namespace

Task<void> export_document(Context& context, KeyValueStore& store, ExportSink& sink) {
  co_await export_mail_objects(context, store, sink);
  co_await export_values(context, store, sink, Section::third_parties, third_party_prefix, write_third_party);
  co_await export_values(context, store, sink, Section::bundles, bundle_prefix, write_bundle);
  co_await export_grants(context, store, sink);
}

}  // namespace portail
