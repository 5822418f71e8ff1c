#include "core/exchange/document/elements.hpp"

#include <array>
#include <set>

#include "core/json/reader.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

constexpr auto mail_object_names = field_names<MailObject>(
    std::array<std::string_view, 4>{"id", "utilisablePourLiasse", "typeAffectation", "fichierModele"});
constexpr std::array<std::string_view, 3> template_names{"nomFichier", "chemin", "type"};
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

void read_piece(JsonValue value, const DocumentLocation& location, Faults& faults, std::string& lines) {
  auto members = Members::of(value, location, piece_names, faults);
  if (members) lines.append(members->line<ExpectedPiece>()) += '\n';
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
  object.fields = members->line<MailObject>();
  object.configuration.usable_for_bundle = members->boolean("utilisablePourLiasse");
  object.configuration.assignment =
      parse_assignment(members->string("typeAffectation", check_assignment)).value_or(Assignment::none);
  if (members->has("fichierModele")) {
    object.template_file = read_template((*members)["fichierModele"], members->location("fichierModele"), faults);
  }
  return if_valid(object, faults, faults_before);
}

std::string further_lines(std::type_identity<ThirdParty> /*record*/, Members& members, Faults& faults) {
  std::string lines;
  for (const PeopleName& people : people_names) read_people(members, people, faults, lines);
  return lines;
}

std::string further_lines(std::type_identity<Bundle> /*record*/, Members& members, Faults& faults) {
  std::string lines;
  if (const auto pieces = members.array(pieces_name)) {
    std::uint64_t index = 0;
    for (const JsonValue piece : *pieces) read_piece(piece, members.location(pieces_name, index++), faults, lines);
  }
  return lines;
}

std::string encode_record(Bundle bundle, std::string_view piece_lines) {
  const DateTime creation = check_date_time(bundle.creation_date).value_or(DateTime());
  bundle.instant = creation.instant;
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
