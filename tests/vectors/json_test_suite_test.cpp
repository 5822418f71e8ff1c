// JSONTestSuite (Nicolas Seriot, "Parsing JSON is a minefield") against the parser of the PUT body.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "tests/vectors/support/vector_files.hpp"

namespace portail {
namespace {

constexpr std::string_view cases = "JSONTestSuite/test_parsing/";

class JsonTestSuite : public VectorTest {
 protected:
  JsonTestSuite() : VectorTest(cases, in_packages) {}
};

constexpr std::string_view accepted = "accepted";

// Returns the parser's result for a file, with the limits of the PUT body.
std::string_view answer_to(std::string_view path, bool unique_names = false) {
  const auto document = parse_json(read_vector_file(path), {.max_depth = 64, .unique_names = unique_names});
  return document ? accepted : description(document.error());
}

std::vector<std::string> names_of(std::string_view beginning) {
  std::vector<std::string> names = list_vector_files(cases);
  std::erase_if(names, [beginning](const std::string& name) { return !name.starts_with(beginning); });
  return names;
}

TEST_F(JsonTestSuite, ValidTextIsAccepted) {
  const auto names = names_of("y_");
  EXPECT_EQ(names.size(), 95U);
  for (const std::string& name : names) EXPECT_EQ(answer_to(std::string(cases) + name), accepted) << name;
}

TEST_F(JsonTestSuite, InvalidTextIsRefused) {
  const auto names = names_of("n_");
  EXPECT_EQ(names.size(), 188U);
  for (const std::string& name : names) EXPECT_NE(answer_to(std::string(cases) + name), accepted) << name;
}

struct Answer {
  std::string_view name, answer;
};

constexpr std::string_view bad_string = description(JsonFault::bad_string);
constexpr std::string_view not_utf8 = description(JsonFault::not_utf8);
constexpr std::string_view bad_number = description(JsonFault::bad_number);

// For texts with several faults: which one simdjson reports depends on the processor that it is built for.
constexpr std::string_view refused = "refused";

// The cases that RFC 8259 leaves to the parser. A number too large for a double is rejected, one too small is zero; a
// string is valid Unicode in UTF-8; no text precedes the value; the maximum depth is 64.
constexpr std::array<Answer, 35> our_answers{{
    {"i_number_double_huge_neg_exp", accepted},
    {"i_number_huge_exp", bad_number},
    {"i_number_neg_int_huge_exp", bad_number},
    {"i_number_pos_double_huge_exp", bad_number},
    {"i_number_real_neg_overflow", bad_number},
    {"i_number_real_pos_overflow", bad_number},
    {"i_number_real_underflow", accepted},
    {"i_number_too_big_neg_int", accepted},
    {"i_number_too_big_pos_int", accepted},
    {"i_number_very_big_negative_int", accepted},
    {"i_object_key_lone_2nd_surrogate", bad_string},
    {"i_string_1st_surrogate_but_2nd_missing", bad_string},
    {"i_string_1st_valid_surrogate_2nd_invalid", bad_string},
    {"i_string_UTF-16LE_with_BOM", refused},
    {"i_string_UTF-8_invalid_sequence", not_utf8},
    {"i_string_UTF8_surrogate_U+D800", not_utf8},
    {"i_string_incomplete_surrogate_and_escape_valid", bad_string},
    {"i_string_incomplete_surrogate_pair", bad_string},
    {"i_string_incomplete_surrogates_escape_valid", bad_string},
    {"i_string_invalid_lonely_surrogate", bad_string},
    {"i_string_invalid_surrogate", bad_string},
    {"i_string_invalid_utf-8", not_utf8},
    {"i_string_inverted_surrogates_U+1D11E", bad_string},
    {"i_string_iso_latin_1", not_utf8},
    {"i_string_lone_second_surrogate", bad_string},
    {"i_string_lone_utf8_continuation_byte", not_utf8},
    {"i_string_not_in_unicode_range", not_utf8},
    {"i_string_overlong_sequence_2_bytes", not_utf8},
    {"i_string_overlong_sequence_6_bytes", not_utf8},
    {"i_string_overlong_sequence_6_bytes_null", not_utf8},
    {"i_string_truncated-utf-8", not_utf8},
    {"i_string_utf16BE_no_BOM", refused},
    {"i_string_utf16LE_no_BOM", refused},
    {"i_structure_500_nested_arrays", description(JsonFault::too_deep)},
    {"i_structure_UTF-8_BOM_empty_object", description(JsonFault::byte_order_mark)},
}};

TEST_F(JsonTestSuite, ImplementationDefinedCasesHaveOneResult) {
  EXPECT_EQ(names_of("i_").size(), our_answers.size());
  for (const Answer& each : our_answers) {
    const std::string_view answer = answer_to(std::string(cases) + std::string(each.name) + ".json");
    EXPECT_EQ(each.answer == refused && answer != accepted ? refused : answer, each.answer) << each.name;
  }
}

TEST_F(JsonTestSuite, HasNoOtherCases) { EXPECT_EQ(list_vector_files(cases).size(), 95U + 188U + 35U); }

// Documents that parsers read differently. Names are compared without Unicode normalization. Two equal names are
// rejected in tokens and key sets; for a request's body the endpoint rejects them.
TEST_F(JsonTestSuite, TransformsAreNotNormalized) {
  constexpr std::string_view folder = "JSONTestSuite/test_transform";
  const auto names = list_vector_files(folder);
  EXPECT_EQ(names.size(), 22U);
  for (const std::string& name : names) {
    const std::string path = std::string(folder) + "/" + name;
    const bool lone_surrogate = name.contains("invalid_codepoint");
    const bool same_names = name.starts_with("object_same_key");
    const bool is_escaped = name.contains("escaped");
    const std::string_view expected = !lone_surrogate ? accepted : is_escaped ? bad_string : not_utf8;
    EXPECT_EQ(answer_to(path), expected) << name;
    EXPECT_EQ(answer_to(path, true), same_names ? description(JsonFault::duplicate_name) : expected) << name;
  }
}

}  // namespace
}  // namespace portail
