#include "core/exchange/document/elements.hpp"

#include <array>
#include <set>

#include "core/exchange/document/members.hpp"
#include "core/json/reader.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {
namespace {

constexpr auto mail_object_names = field_names<MailObject>(
    std::array<std::string_view, 4>{"id", "utilisablePourLiasse", "typeAffectation", "fichierModele"});
constexpr std::array<std::string_view, 3> template_names{"nomFichier", "chemin", "type"};
constexpr auto third_party_names =
    field_names<ThirdParty>(std::array{people_names.front().name, people_names.back().name});
constexpr auto bundle_names = field_names<Bundle>(std::array{pieces_name});
constexpr auto piece_names = field_names<ExpectedPiece>(std::array<std::string_view, 0>{});
constexpr std::array<std::string_view, 4> grant_names{"permission", "utilisateur", "role", "client"};

Checked<void> check_assignment(std::string_view text) {
  if (!parse_assignment(text)) return std::unexpected("must be Rien, Optionnel or Obligatoire");
  return {};
}

Checked<void> check_permission(std::string_view text) {
  if (!permission_named(text)) return std::unexpected("unknown permission");
  return {};
}

MailObjectElement::Template read_template(JsonValue value, const DocumentLocation& location, Faults& faults) {
  MailObjectElement::Template file;
  if (auto members = Members::of(value, location, template_names, faults)) {
    file.file_name = stored_string(members->string("nomFichier", check_file_name));
    file.path = members->string("chemin", check_template_path);
    file.media_type = members->string("type", check_media_type);
  }
  return file;
}

// Returns the record's fields as a stored line has them.
template <class Record>
std::string read_fields(Members& members) {
  std::string line;
  for (const Field<Record>& field : fields_of<Record>) {
    if (!line.empty()) line += '\t';
    line += members.stored(field.name, field.form, field.presence);
  }
  return line;
}

void read_piece(JsonValue value, const DocumentLocation& location, Faults& faults, std::string& lines) {
  auto members = Members::of(value, location, piece_names, faults);
  if (members) lines.append(read_fields<ExpectedPiece>(*members)) += '\n';
}

void read_people(Members& members, const PeopleName& people, Faults& faults, std::string& lines) {
  const auto items = members.array(people.name);
  if (!items) return;
  std::set<std::string_view> named;
  std::uint64_t index = 0;
  for (const JsonValue item : *items) {
    const DocumentLocation location = members.location(people.name, index++);
    const auto person = string_of(item);
    if (!person) {
      faults.add(location, "must be a string");
    } else if (const auto checked = check_identifier(*person); !checked) {
      faults.add(location, checked.error());
    } else {
      append_person(lines, people.relation, stored_string(*person));
      if (!named.insert(*person).second) faults.add(location, "duplicate");
    }
  }
}

template <class T>
std::optional<T> if_valid(T& result, const Faults& faults, std::uint64_t faults_before) {
  if (faults.count() != faults_before) return std::nullopt;
  return std::move(result);
}

}  // namespace

std::optional<MailObjectElement> parse_mail_object(const Element& element, Faults& faults) {
  const std::uint64_t faults_before = faults.count();
  const DocumentLocation location = element.location();
  auto members = Members::of(element.root, location, mail_object_names, faults);
  if (!members) return std::nullopt;

  MailObjectElement object;
  object.id = members->id("id");
  object.fields = read_fields<MailObject>(*members);
  object.configuration.usable_for_bundle = members->boolean("utilisablePourLiasse");
  object.configuration.assignment =
      parse_assignment(members->string("typeAffectation", check_assignment)).value_or(Assignment::none);
  if (members->has("fichierModele")) {
    object.template_file = read_template((*members)["fichierModele"], members->location("fichierModele"), faults);
  }
  return if_valid(object, faults, faults_before);
}

std::optional<std::string> parse_third_party(const Element& element, Faults& faults) {
  const std::uint64_t faults_before = faults.count();
  const DocumentLocation location = element.location();
  auto members = Members::of(element.root, location, third_party_names, faults);
  if (!members) return std::nullopt;

  const std::string line = read_fields<ThirdParty>(*members);
  std::string person_lines;
  for (const PeopleName& people : people_names) read_people(*members, people, faults, person_lines);
  ThirdParty third_party;
  Fields fields(line);
  if (faults.count() != faults_before || !read_fields(fields, third_party)) return std::nullopt;
  third_party.person_lines = person_lines;
  return encode_third_party(third_party);
}

std::optional<std::string> parse_bundle(const Element& element, Faults& faults) {
  const std::uint64_t faults_before = faults.count();
  const DocumentLocation location = element.location();
  auto members = Members::of(element.root, location, bundle_names, faults, element.text);
  if (!members) return std::nullopt;

  const std::string line = read_fields<Bundle>(*members);
  std::string piece_lines;
  if (const auto pieces = members->array(pieces_name)) {
    std::uint64_t index = 0;
    for (const JsonValue piece : *pieces) {
      read_piece(piece, members->location(pieces_name, index++), faults, piece_lines);
    }
  }
  Bundle bundle;
  Fields fields(line);
  if (faults.count() != faults_before || !read_fields(fields, bundle)) return std::nullopt;
  const auto creation = check_date_time(bundle.creation_date);
  if (!creation) return std::nullopt;
  bundle.instant = creation->instant;
  bundle.piece_lines = piece_lines;
  return encode_without_revision(bundle);
}

std::optional<GrantElement> parse_grant(const Element& element, Faults& faults) {
  const std::uint64_t faults_before = faults.count();
  const DocumentLocation location = element.location();
  auto members = Members::of(element.root, location, grant_names, faults);
  if (!members) return std::nullopt;

  GrantElement grant;
  grant.permission = permission_named(members->string("permission", check_permission)).value_or(Permission{});
  int kinds = 0;
  for (const GrantKind kind : {GrantKind::user, GrantKind::role, GrantKind::client}) {
    if (!members->has(name_of(kind))) continue;
    ++kinds;
    grant.kind = kind;
    grant.name = members->string(name_of(kind), check_identifier);
  }
  if (kinds != 1) faults.add(location, "must have exactly one of utilisateur, role and client");
  return if_valid(grant, faults, faults_before);
}

}  // namespace portail
