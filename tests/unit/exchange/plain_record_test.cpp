// A record that has only the fields of its table.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/exchange/document/elements.hpp"
#include "core/exchange/export_elements.hpp"
#include "core/exchange/steps/differences.hpp"
#include "core/json/reader.hpp"
#include "core/portal/records/fields.hpp"

namespace portail {

struct Contract {
  std::string_view number;
  std::string_view third_party;
  std::string_view effective_date;
};
template <>
inline constexpr std::array fields_of<Contract>{
    Field<Contract>{"numeroContrat", &Contract::number, Form::identifier},
    Field<Contract>{"numeroTiers", &Contract::third_party, Form::reference},
    Field<Contract>{"dateEffet", &Contract::effective_date, Form::date_time, Presence::nullable}};

namespace {

std::optional<std::string> parse(std::string_view text, Faults& faults) {
  const auto document = parse_json(text);
  return parse_record<Contract>({.section = {}, .index = 0, .text = text, .root = document->root()}, faults);
}

TEST(PlainRecord, IsParsedExportedAndComparedByItsTable) {
  Faults faults;
  const auto value = parse(R"({"numeroTiers":"T1","numeroContrat":"C-1"})", faults);
  EXPECT_EQ(value, "\"C-1\"\t\"T1\"\t-\n");
  const Contract contract = read_record<Contract>(*value).value();
  EXPECT_EQ(record_element(contract), R"({"numeroContrat":"C-1","numeroTiers":"T1","dateEffet":null})");
  const Contract later{.number = "\"C-1\"", .third_party = "\"T1\"", .effective_date = "2024-03-01T00:00:00+01:00"};
  EXPECT_EQ(differences(contract, later), MemberNames{"dateEffet"});
  EXPECT_EQ(faults.count(), 0U);
}

TEST(PlainRecord, MembersBesideItsFieldsAreFaults) {
  Faults faults;
  EXPECT_EQ(parse(R"({"numeroTiers":"T1","numeroContrat":"C-1","piecesAttendues":[]})", faults), std::nullopt);
  EXPECT_EQ(faults.release_lines(), std::vector<std::string>{R"(objetsCourrier[0]: unknown member "piecesAttendues")"});
}

}  // namespace
}  // namespace portail
