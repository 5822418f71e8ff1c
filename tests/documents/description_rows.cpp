// Prints the tables of the entities' fields (core/portal/records/fields.hpp) and of the routes (core/api/routes.cpp) as
// JSON, for tools/docs/schemas.py.
#include <cstdio>
#include <string>
#include <string_view>

#include "core/api/mail_object_selection.hpp"
#include "core/api/routes.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/catalogue.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {
namespace {

std::string_view name_of(Form form) {
  switch (form) {
    using enum Form;
    case text:
    case reference:
      return "text";
    case code:
      return "code";
    case identifier:
    case bundle_id:
      return "identifier";
    case date_time:
      return "date-time";
    case amount:
      return "amount";
    case boolean:
      return "boolean";
    case uuid:
      return "uuid";
    case mail_object:
      return "mail object";
  }
  return "";
}

template <class Record>
void write_table(JsonWriter& json, std::string_view schema) {
  json.name(schema).begin_array();
  for (const Field<Record>& field : fields_of<Record>) {
    json.begin_object().name("name").string(field.name).name("form").string(name_of(field.form));
    json.name("isNullable").boolean(is_nullable(field.presence)).end_object();
  }
  json.end_array();
}

void write_parameter(JsonWriter& json, const Parameter& parameter) {
  using enum Parameter::Form;
  json.begin_object().name("name").string(parameter.name);
  if (parameter.form == int32) {
    json.name("minimum").integer(parameter.min).name("maximum").integer(parameter.max);
    json.name("default").integer(parameter.default_value);
  } else if (parameter.form == boolean) {
    json.name("default").boolean(parameter.default_value != 0);
  } else if (parameter.form == sorting) {
    json.name("fields").begin_array();
    for (const std::string_view field : sort_fields) json.string(field);
    json.end_array();
  }
  json.end_object();
}

// The component of the description.
std::string_view name_of(PathId id) {
  switch (id) {
    case PathId::none:
      return "";
    case PathId::mail_object:
      return "MailObjectId";
    case PathId::bundle:
      return "BundleId";
  }
  return "";
}

void write_route(JsonWriter& json, const Route& route) {
  json.begin_object().name("path").string(route.pattern.text());
  if (const auto id = name_of(route.id); !id.empty()) json.name("id").string(id);
  json.name("isProbe").boolean(route.access == Access::probe).name("query").begin_array();
  for (const Parameter& parameter : route.query) write_parameter(json, parameter);
  json.end_array().end_object();
}

}  // namespace
}  // namespace portail

int main() {
  using namespace portail;
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("fields").begin_object();
  write_table<MailObject>(json, "MailObject");
  write_table<ThirdParty>(json, "ThirdParty");
  write_table<Bundle>(json, "Bundle");
  write_table<ExpectedPiece>(json, "Piece");
  json.end_object().name("routes").begin_array();
  for (const Route& route : all_routes()) write_route(json, route);
  json.end_array().end_object();
  std::puts(text.c_str());
  return 0;
}
