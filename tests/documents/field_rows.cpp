// Prints the tables of the entities' fields (core/portal/records/fields.hpp) as JSON, for tools/docs/schemas.py.
#include <cstdio>
#include <string>
#include <string_view>

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

}  // namespace
}  // namespace portail

int main() {
  using namespace portail;
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_table<MailObject>(json, "MailObject");
  write_table<ThirdParty>(json, "ThirdParty");
  write_table<Bundle>(json, "Bundle");
  write_table<ExpectedPiece>(json, "Piece");
  json.end_object();
  std::puts(text.c_str());
  return 0;
}
