#include "native/shadow/json_rules.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/json/raw_json.hpp"
#include "core/portal/completion.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail::shadow {
namespace {

constexpr RowName mail_object_row = "Answers: mail object";
constexpr RowName piece_mail_object_row = "Answers: mail object inside a piece";
constexpr RowName paged_row = "Answers: paged list";
constexpr RowName text_row = "Answers: JSON text";
constexpr RowName pieces_row = "Resources: piecesAttendues";
constexpr RowName error_row = "Errors: body and _AbpErrorFormat";
constexpr RowName forbidden_row = "Errors: 403 of a permission";
constexpr RowName validation_row = "Errors: 400 from validation";
constexpr RowName configuration_row = "Also answered: application-configuration, a caller";
constexpr RowName culture_row = "Also answered: application-configuration, localization";

template <std::size_t m, std::size_t n>
consteval std::array<MemberRule, m + n> operator+(const std::array<MemberRule, m>& first,
                                                  const std::array<MemberRule, n>& second) {
  return [&]<std::size_t... i, std::size_t... j>(std::index_sequence<i...>, std::index_sequence<j...>) {
    return std::array<MemberRule, m + n>{first[i]..., second[j]...};
  }(std::make_index_sequence<m>(), std::make_index_sequence<n>());
}

// The rules of a record's fields, which answers have as they are stored.
template <class Record>
consteval auto field_rules() {
  return []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array{MemberRule{fields_of<Record>[i].name, RowName::of_field(fields_of<Record>[i].name),
                                 fields_of<Record>[i].form == Form::date_time ? Meaning::instant : Meaning::value}...};
  }(std::make_index_sequence<fields_of<Record>.size()>());
}

constexpr auto shared_mail_object_members =
    field_rules<MailObject>() + std::array{MemberRule{"id", "Resources: id"},
                                           MemberRule{"utilisablePourLiasse", "Resources: utilisablePourLiasse"},
                                           MemberRule{"typeAffectation", "Resources: typeAffectation"}};
constexpr auto mail_object_members =
    shared_mail_object_members + std::array{MemberRule{"lienFichier", mail_object_row}};
constexpr Shape mail_object{.row = mail_object_row, .members = mail_object_members, .key = "id"};

constexpr auto piece_mail_object_members =
    shared_mail_object_members +
    std::array{MemberRule{"lienFichier", piece_mail_object_row}, MemberRule{"nomFichier", piece_mail_object_row}};
constexpr Shape piece_mail_object{.row = piece_mail_object_row, .members = piece_mail_object_members};

constexpr std::array piece_members{
    MemberRule{"id", "Resources: id", Meaning::uuid},
    MemberRule{"objetCourrier", piece_mail_object_row, Meaning::object, &piece_mail_object},
    MemberRule{"statut", "Answers: piece statut"}, MemberRule{"motif", "Resources: motif"}};
constexpr Shape piece{.row = text_row, .members = piece_members, .key = "id"};

constexpr auto bundle_members =
    field_rules<Bundle>() + field_rules<ThirdParty>() +
    std::array{MemberRule{"statut", "Answers: statut of a bundle"},
               MemberRule{"completion", "Answers: completion", Meaning::real},
               MemberRule{"deposeeDepuisDerniereConsultation", "Answers: deposeeDepuisDerniereConsultation, deposits"},
               MemberRule{"erreur", "Answers: erreur"}, MemberRule{pieces_name, pieces_row, Meaning::set, &piece}};
constexpr Shape bundle{.row = text_row, .members = bundle_members, .key = "id"};

constexpr std::array page_members{MemberRule{"totalCount", paged_row},
                                  MemberRule{"items", paged_row, Meaning::list, &mail_object}};
constexpr Shape page{.row = paged_row, .members = page_members};
constexpr std::array sorted_page_members{MemberRule{"totalCount", paged_row},
                                         MemberRule{"items", "Requests: sorting", Meaning::list, &mail_object}};
constexpr Shape sorted_page{.row = paged_row, .members = sorted_page_members};

// The policies of the interface; a service may have others.
constexpr std::array policy_members{MemberRule{"PortailClients.ObjetsCourrier.Update", configuration_row},
                                    MemberRule{"PortailClients.Liasses.VoirPieceDerogee", configuration_row},
                                    MemberRule{"PortailClients.Dashboard.Host", configuration_row}};
constexpr Shape policies{.row = configuration_row, .members = policy_members, .is_open = true};
constexpr std::array auth_members{MemberRule{"grantedPolicies", configuration_row, Meaning::object, &policies}};
constexpr Shape auth{.row = configuration_row, .members = auth_members, .is_open = true};
constexpr std::array user_members{
    MemberRule{"isAuthenticated", configuration_row}, MemberRule{"id", configuration_row},
    MemberRule{"userName", configuration_row},        MemberRule{"name", configuration_row},
    MemberRule{"surName", configuration_row},         MemberRule{"email", configuration_row},
    MemberRule{"emailVerified", configuration_row},   MemberRule{"roles", configuration_row, Meaning::set}};
constexpr Shape user{.row = configuration_row, .members = user_members, .is_open = true};
constexpr std::array culture_members{MemberRule{"cultureName", culture_row}, MemberRule{"name", culture_row}};
constexpr Shape culture{.row = culture_row, .members = culture_members, .is_open = true};
constexpr std::array localization_members{MemberRule{"currentCulture", culture_row, Meaning::object, &culture}};
constexpr Shape localization{.row = culture_row, .members = localization_members, .is_open = true};
constexpr std::array configuration_members{MemberRule{"auth", configuration_row, Meaning::object, &auth},
                                           MemberRule{"currentUser", configuration_row, Meaning::object, &user},
                                           MemberRule{"localization", culture_row, Meaning::object, &localization}};
constexpr Shape configuration{.row = configuration_row, .members = configuration_members, .is_open = true};

constexpr std::array validation_members{MemberRule{"message", validation_row, Meaning::kind},
                                        MemberRule{"members", validation_row}};
constexpr Shape validation{.row = validation_row, .members = validation_members, .key = "members"};

// The error of a status: the row and meaning of its message, and the row of `data`.
consteval std::array<MemberRule, 5> error_members(RowName message_row, Meaning message, RowName data_row) {
  return {MemberRule{"code", error_row}, MemberRule{"message", message_row, message},
          MemberRule{"details", error_row, Meaning::kind}, MemberRule{"data", data_row},
          MemberRule{"validationErrors", validation_row, Meaning::set, &validation}};
}

// An error's whole body, with the members of its only member `error`.
template <const std::array<MemberRule, 5>& members>
struct ErrorBody {
  static constexpr Shape inner{.row = error_row, .members = members};
  static constexpr std::array outer_members{MemberRule{"error", error_row, Meaning::object, &inner}};
  static constexpr Shape outer{.row = error_row, .members = outer_members};
};

constexpr auto other_error = error_members(error_row, Meaning::kind, error_row);
constexpr auto forbidden_error = error_members(error_row, Meaning::kind, forbidden_row);
constexpr auto validation_error = error_members(validation_row, Meaning::value, error_row);
constexpr auto entity_error = error_members("Errors: 404 of an entity", Meaning::value, error_row);
constexpr auto internal_error = error_members("Errors: 500", Meaning::value, error_row);

const Shape* error_shape(std::string_view route, int status) {
  if (status == 400) return &ErrorBody<validation_error>::outer;
  if (status == 403) return &ErrorBody<forbidden_error>::outer;
  if (status == 404 && route.ends_with("/{id}")) return &ErrorBody<entity_error>::outer;
  if (status == 500) return &ErrorBody<internal_error>::outer;
  return &ErrorBody<other_error>::outer;
}

struct RouteRule {
  std::string_view route;
  BodyRule body;
  RowName refusal = forbidden_row;  // of a 403
};
constexpr BodyRule object_rule(RowName row, const Shape& shape) {
  return {.row = row, .order_row = row, .meaning = Meaning::object, .shape = &shape};
}
constexpr BodyRule bundle_list_rule(RowName row) {
  return {.row = row,
          .order_row = "Answers: bundle lists",
          .meaning = Meaning::list,
          .shape = &bundle,
          .is_list_of_bundles = true};
}
constexpr RowName dashboard_row = "Who sees what: dashboard-list";
constexpr RowName list_all_row = "Answers: list-all";
constexpr std::array route_rules{
    RouteRule{"/api/app/objet-courrier", object_rule(paged_row, page)},
    RouteRule{"/api/app/objet-courrier/list-all",
              {.row = list_all_row, .order_row = list_all_row, .meaning = Meaning::list, .shape = &mail_object}},
    RouteRule{"/api/app/objet-courrier/{id}", object_rule(mail_object_row, mail_object)},
    RouteRule{"/api/app/liasse", bundle_list_rule("Who sees what: GET /liasse")},
    RouteRule{"/api/app/liasse/dashboard-list", bundle_list_rule(dashboard_row), dashboard_row},
    RouteRule{"/api/app/liasse/{id}", object_rule(text_row, bundle), "Who sees what: GET /liasse/{id}"},
    RouteRule{"/api/abp/application-configuration", object_rule(configuration_row, configuration)}};
constexpr RouteRule other_route{"", {.row = text_row, .order_row = text_row}};

const RouteRule& rule_of_route(std::string_view route) {
  const auto found = std::ranges::find(route_rules, route, &RouteRule::route);
  return found == route_rules.end() ? other_route : *found;
}

}  // namespace

BodyRule body_rule(std::string_view route, bool is_sorted) {
  BodyRule body = rule_of_route(route).body;
  if (is_sorted && body.shape == &page) body.shape = &sorted_page;
  return body;
}

RowName row_of_refusal(std::string_view route) { return rule_of_route(route).refusal; }

BodyRule error_rule(std::string_view route, int status) { return object_rule(error_row, *error_shape(route, status)); }

RowName row_of_element(const Shape* shape, std::string_view element, RowName list_row, bool is_list_of_bundles) {
  if (shape != &piece) return list_row;
  const auto status = raw_member(element, "statut");
  const bool is_derogated = status && parse_piece_status(*status) == PieceStatus::derogated;
  if (!is_derogated) return list_row;
  constexpr RowName in_lists = "Answers: derogated pieces, lists";
  constexpr RowName by_id = "Answers: derogated pieces, by id";
  return is_list_of_bundles ? in_lists : by_id;
}

}  // namespace portail::shadow
