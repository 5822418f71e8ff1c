#include "core/exchange/export_elements.hpp"

#include <memory>

#include "core/base/text.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/json/utf8.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

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

}  // namespace

void DocumentWriter::begin(Section section) {
  section_ = section;
  is_first_ = true;
  text_ += section == Section::mail_objects ? "{\"" : ",\n\"";
  text_ += name_of(section);
  text_ += "\":[";
}

Result<void> DocumentWriter::add(Result<std::string> element) {
  if (!element) return std::unexpected(element.error());
  if (!is_valid_utf8(*element)) return std::unexpected(Failure::corrupt);
  text_ += is_first_ ? "\n" : ",\n";
  is_first_ = false;
  append_printable_json(text_, *element);
  return {};
}

void DocumentWriter::end() {
  text_ += is_first_ ? "]" : "\n]";
  if (section_ == Section::grants) text_ += "}\n";
}

std::string template_path(std::uint64_t id, const OwnedMailObject::Template& file) {
  return "modeles/" + std::to_string(id) + '-' + unquoted(file.file_name);
}

std::string mail_object_element(std::uint64_t id, const OwnedMailObject& object, const Configuration& configuration) {
  std::string element;
  JsonWriter json(element);
  json.begin_object().name("id").integer(static_cast<std::int64_t>(id));
  write_fields(json, object.view());
  json.name("utilisablePourLiasse").boolean(configuration.usable_for_bundle);
  json.name("typeAffectation").string(wire_name(configuration.assignment));
  json.name("fichierModele");
  if (const auto& file = object.template_file) {
    json.begin_object().name("nomFichier").raw(file->file_name).name("chemin").string(template_path(id, *file));
    json.name("type").string(file->media_type).end_object();
  } else {
    json.null();
  }
  json.end_object();
  return element;
}

Result<void> write_further(JsonWriter& json, const ThirdParty& third_party) {
  for (const auto& [relation, name] : people_names) write_people(json.name(name), third_party, relation);
  return {};
}

Result<void> write_further(JsonWriter& json, const Bundle& bundle) {
  const auto pieces = pieces_of(bundle);
  if (!pieces) return std::unexpected(pieces.error());
  json.name(pieces_name).begin_array();
  for (const ExpectedPiece& piece : *pieces) {
    json.begin_object();
    write_fields(json, piece);
    json.end_object();
  }
  json.end_array();
  return {};
}

std::string grant_element(Permission permission, GrantKind kind, std::string_view quoted_name) {
  std::string element;
  JsonWriter json(element);
  json.begin_object().name("permission").string(name_of(permission));
  json.name(name_of(kind)).raw(quoted_name).end_object();
  return element;
}

Task<void> append_grants(Context& context, Session& session, DocumentWriter& document) {
  const AuditedValue audited = co_await read_stored_grants(context, session);
  const Grants grants = co_await Grants::parse(audited.content);
  document.begin(Section::grants);
  Result<void> added;
  grants.for_each([&](Permission permission, GrantKind kind, std::string_view name) {
    if (added) added = document.add(grant_element(permission, kind, name));
  });
  co_await std::move(added);
  document.end();
}

}  // namespace portail
