#include "core/exchange/document/elements.hpp"

#include <set>

#include "core/exchange/document/members.hpp"
#include "core/json/raw_json.hpp"
#include "core/json/reader.hpp"
#include "core/portal/records/stored_string.hpp"

namespace portail {
namespace {

constexpr std::string_view mail_object_names[] = {
    "id", "typeObjet", "description", "utilisablePourLiasse", "typeAffectation", "fichierModele"};
constexpr std::string_view template_names[] = {"nomFichier", "chemin", "type"};
constexpr std::string_view third_party_names[] = {"numeroTiers", "nomTiers", "prenomTiers", "utilisateurs",
                                                  "gestionnaires"};
constexpr std::string_view bundle_names[] = {
    "id",         "nomDossier",         "creationDate",           "numeroTiers",
    "numeroPret", "montantOpportunite", "opportuniteMiseEnPlace", "piecesAttendues"};
constexpr std::string_view piece_names[] = {"id", "objetCourrier", "statut", "motif", "dateDepot"};
constexpr std::string_view grant_names[] = {"permission", "utilisateur", "role", "client"};

Checked<void> check_nothing(std::string_view /*text*/) { return {}; }

Checked<void> check_type(std::string_view text) {
  if (text.empty()) return std::unexpected("must not be empty");
  return check_text(text);
}

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

PieceElement read_piece(JsonValue value, const DocumentLocation& location, Faults& faults) {
  PieceElement piece;
  auto members = Members::of(value, location, piece_names, faults);
  if (!members) return piece;
  piece.id = members->uuid("id");
  piece.mail_object = members->id("objetCourrier");
  piece.status = stored_string(members->string("statut", check_text));
  piece.reason = members->has("motif") ? stored_string(members->string("motif", check_text)) : "null";
  if (members->has("dateDepot")) piece.deposit = members->date_time("dateDepot").text;
  return piece;
}

std::vector<JsonText> read_people(Members& members, std::string_view name, Faults& faults) {
  std::vector<JsonText> people;
  const auto items = members.array(name);
  if (!items) return people;
  std::set<std::string_view> named;
  std::uint64_t index = 0;
  for (const JsonValue item : *items) {
    const DocumentLocation location = members.location(name, index++);
    const auto person = string_of(item);
    if (!person) {
      faults.add(location, "must be a string");
    } else if (const auto checked = check_identifier(*person); !checked) {
      faults.add(location, checked.error());
    } else {
      people.push_back(stored_string(*person));
      if (!named.insert(*person).second) faults.add(location, "duplicate");
    }
  }
  return people;
}

std::string read_amount(Members& members, std::string_view element_text) {
  constexpr std::string_view name = "montantOpportunite";
  const auto number = raw_member(element_text, name);
  if (!number) {
    members.fault(name, "missing");
    return {};
  }
  if (!members[name].is_number()) {
    members.fault(name, "must be a number");
  } else if (const auto checked = check_amount(*number); !checked) {
    members.fault(name, checked.error());
  }
  return std::string(*number);
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
  object.type = stored_string(members->string("typeObjet", check_type));
  object.description = stored_string(members->string("description", check_text));
  object.configuration.usable_for_bundle = members->boolean("utilisablePourLiasse");
  object.configuration.assignment =
      parse_assignment(members->string("typeAffectation", check_assignment)).value_or(Assignment::none);
  if (members->has("fichierModele")) {
    object.template_file = read_template((*members)["fichierModele"], members->location("fichierModele"), faults);
  }
  return if_valid(object, faults, faults_before);
}

std::optional<ThirdPartyElement> parse_third_party(const Element& element, Faults& faults) {
  const std::uint64_t faults_before = faults.count();
  const DocumentLocation location = element.location();
  auto members = Members::of(element.root, location, third_party_names, faults);
  if (!members) return std::nullopt;

  ThirdPartyElement third_party;
  third_party.raw_number = members->string("numeroTiers", check_identifier);
  third_party.number = stored_string(third_party.raw_number);
  third_party.last_name = stored_string(members->string("nomTiers", check_text));
  third_party.first_name = stored_string(members->string("prenomTiers", check_text));
  third_party.users = read_people(*members, "utilisateurs", faults);
  third_party.managers = read_people(*members, "gestionnaires", faults);
  return if_valid(third_party, faults, faults_before);
}

std::optional<BundleElement> parse_bundle(const Element& element, Faults& faults) {
  const std::uint64_t faults_before = faults.count();
  const DocumentLocation location = element.location();
  auto members = Members::of(element.root, location, bundle_names, faults);
  if (!members) return std::nullopt;

  BundleElement bundle;
  bundle.raw_id = members->string("id", check_bundle_id);
  bundle.id = stored_string(bundle.raw_id);
  bundle.name = stored_string(members->string("nomDossier", check_text));
  DateTime creation = members->date_time("creationDate");
  bundle.creation_date = std::move(creation.text);
  bundle.instant = std::move(creation.instant);
  bundle.raw_third_party = members->string("numeroTiers", check_nothing);
  bundle.third_party = stored_string(bundle.raw_third_party);
  bundle.loan = stored_string(members->string("numeroPret", check_text));
  bundle.amount = read_amount(*members, element.text);
  bundle.put_in_place = members->boolean("opportuniteMiseEnPlace");
  if (const auto pieces = members->array("piecesAttendues")) {
    std::uint64_t index = 0;
    for (const JsonValue piece : *pieces) {
      bundle.pieces.push_back(read_piece(piece, members->location("piecesAttendues", index++), faults));
    }
  }
  return if_valid(bundle, faults, faults_before);
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
