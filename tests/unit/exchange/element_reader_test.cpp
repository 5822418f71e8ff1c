#include "core/exchange/document/element_reader.hpp"

#include <string>

#include <gtest/gtest.h>

namespace portail {
namespace {

// Returns the elements, then the faults, of a document in chunks of `chunk_size` bytes.
std::string read(std::string_view document, std::size_t chunk_size = 4096) {
  Faults faults;
  ElementReader reader(faults);
  std::string result;
  for (;;) {
    const ElementReader::Step step = reader.next();
    if (step == ElementReader::Step::element) {
      const Element& element = reader.element();
      result += element.location().text() + ' ' + std::string(element.text) + '\n';
    } else if (step == ElementReader::Step::more_bytes) {
      if (document.empty()) {
        reader.finish();
      } else {
        reader.feed(document.substr(0, chunk_size));
        document.remove_prefix(std::min(chunk_size, document.size()));
      }
    } else {
      break;
    }
  }
  for (const std::string& line : faults.release_lines()) result += line + '\n';
  return result;
}

TEST(ElementReader, GivesTheElementsOfEachSection) {
  EXPECT_EQ(read("{}"), "");
  EXPECT_EQ(read(" {\n} \n"), "");
  EXPECT_EQ(read(R"({"tiers":[]})"), "");
  EXPECT_EQ(read(R"({"liasses":[{"a":[1,{}]},{}],"tiers":[{"b":"]}\"\\"}]})"),
            "liasses[0] {\"a\":[1,{}]}\n"
            "liasses[1] {}\n"
            "tiers[0] {\"b\":\"]}\\\"\\\\\"}\n");
  EXPECT_EQ(read(R"({"\u0074iers":[1 , "a",null]})"), "tiers[0] 1\ntiers[1] \"a\"\ntiers[2] null\n");
}

TEST(ElementReader, AcceptsChunksOfAnySize) {
  constexpr std::string_view document =
      "{ \"objetsCourrier\" : [ {\"a\":\"é\\\"\\\\\",\"b\":[[],{}]} , 12.5,\"x\\\\\" ,true]\n,\"droits\":[ ] "
      ",\"tiers\":[1]} ";
  const std::string whole = read(document);
  EXPECT_EQ(whole,
            "objetsCourrier[0] {\"a\":\"é\\\"\\\\\",\"b\":[[],{}]}\n"
            "objetsCourrier[1] 12.5\nobjetsCourrier[2] \"x\\\\\"\nobjetsCourrier[3] true\ntiers[0] 1\n");
  for (std::size_t size = 1; size <= document.size(); ++size) EXPECT_EQ(read(document, size), whole) << size;
}

TEST(ElementReader, ReportsInvalidDocuments) {
  EXPECT_EQ(read(""), "document: the document is empty (line 1)\n");
  EXPECT_EQ(read("\n \n"), "document: the document is empty (line 3)\n");
  EXPECT_EQ(read("\xef\xbb\xbf{}"), "document: a byte order mark before the JSON value (line 1)\n");
  EXPECT_EQ(read("[]"), "document: the document must be a JSON object in UTF-8 (line 1)\n");
  EXPECT_EQ(read("\xff\xfe{"), "document: the document must be a JSON object in UTF-8 (line 1)\n");
  EXPECT_EQ(read("{tiers:[]}"), "document: expected the name of a section (line 1)\n");
  EXPECT_EQ(read(R"({"tiers":[],})"), "document: expected the name of a section (line 1)\n");
  EXPECT_EQ(read(R"({"tiers" [])"), "document: expected ':' after the name of a section (line 1)\n");
  EXPECT_EQ(read("{\"tiers\":\n{}}"), "tiers: must be an array (line 2)\n");
  EXPECT_EQ(read(R"({"tiers":null})"), "tiers: must be an array (line 1)\n");
  EXPECT_EQ(read(R"({"tiers":[] "liasses":[]})"), "document: expected ',' or '}' after a section (line 1)\n");
  EXPECT_EQ(read(R"({"tiers":[]]})"), "document: expected ',' or '}' after a section (line 1)\n");
  EXPECT_EQ(read("{\n\n\"tiers\":[]}x"), "document: unexpected content after the end of the document (line 3)\n");
  EXPECT_EQ(read("{}{}"), "document: unexpected content after the end of the document (line 1)\n");
  EXPECT_EQ(read(R"({"tiers":[],"tiers":[]})"), "document: duplicate section \"tiers\" (line 1)\n");
  EXPECT_EQ(read(R"({"tiers":[],"\u0074iers":[]})"), "document: duplicate section \"tiers\" (line 1)\n");
  EXPECT_EQ(
      read(R"({"liasse":[]})"),
      "document: unknown section \"liasse\"; the sections are objetsCourrier, tiers, liasses and droits (line 1)\n");
  EXPECT_EQ(read("{\"a\nb\":[]}"), "document: the name of a section is malformed (line 2)\n");
  EXPECT_EQ(read("{\"" + std::string(300, 'a')), "document: the name of a section is too long (line 1)\n");
}

TEST(ElementReader, ReportsWhereADocumentIsTruncated) {
  constexpr std::string_view document = R"({"tiers":[{"a":"b\""}]})";
  const std::size_t begin = document.find("{\"a\"");
  const std::size_t end = document.find(']');
  for (std::size_t size = 1; size < document.size(); ++size) {
    const bool is_within = size > begin && size < end;
    const std::string element = size >= end ? "tiers[0] {\"a\":\"b\\\"\"}\n" : "";
    EXPECT_EQ(read(document.substr(0, size)),
              element + (is_within ? "tiers[0]: the document ends within it (line 1)\n"
                                   : "document: the document ends too early (line 1)\n"))
        << size;
  }
}

TEST(ElementReader, ReportsFaultsBetweenElements) {
  EXPECT_EQ(read(R"({"tiers":[,1]})"), "document: expected an element (line 1)\n");
  EXPECT_EQ(read(R"({"tiers":[1,]})"), "tiers[0] 1\ndocument: expected an element (line 1)\n");
  EXPECT_EQ(read(R"({"tiers":[1,,2]})"), "tiers[0] 1\ndocument: expected an element (line 1)\n");
  EXPECT_EQ(read(R"({"tiers":[{} {}]})"), "tiers[0] {}\ndocument: expected ',' or ']' after an element (line 1)\n");
}

TEST(ElementReader, RefusesElementsThatAreNoJson) {
  EXPECT_EQ(read(R"({"tiers":[{"a":truE},{}]})"), "tiers[0]: malformed JSON (line 1)\n");
  EXPECT_EQ(read(R"({"tiers":[{"a":1]]})"), "tiers[0]: malformed JSON (line 1)\n");
  EXPECT_EQ(
      read("{\"tiers\":[{},\n{\"a\":\"\\ud800\"},{}]}"),
      "tiers[0] {}\ntiers[1]: a JSON string with a raw control character, a bad escape or a lone surrogate (line 2)\n");
  for (const std::size_t size : {1U, 4096U}) {  // a quote is missing
    EXPECT_EQ(read("{\"tiers\":[{},\n{\"a\":\"b},\n\n{\"c\":1}]}\n", size),
              "tiers[0] {}\ntiers[1]: the document ends within it (line 2)\n")
        << size;
  }
  // The elements after a fault are read if its end is certain.
  EXPECT_EQ(read(R"({"tiers":[{"a":1,"\u0061":2},{}]})"),
            "tiers[1] {}\ntiers[0]: a JSON object with the same name twice (line 1)\n");
  EXPECT_EQ(read("{\"tiers\":[\"\xff\",{}]}"), "tiers[1] {}\ntiers[0]: not valid UTF-8 (line 1)\n");
  EXPECT_EQ(read("{\"tiers\":[" + std::string(65, '[') + std::string(65, ']') + ",{}]}"),
            "tiers[1] {}\ntiers[0]: JSON nested too deeply (line 1)\n");
}

TEST(ElementReader, HoldsNoElementOver4MiB) {
  const std::string largest = '"' + std::string(4'194'302, 'a') + '"';
  EXPECT_EQ(read("{\"tiers\":[" + largest + "]}", 65'536), "tiers[0] " + largest + '\n');
  EXPECT_EQ(read("{\"tiers\":[1,\"" + std::string(4'194'303, 'a') + "\"]}", 65'536),
            "tiers[0] 1\ntiers[1]: larger than 4 MiB (line 1)\n");
}

}  // namespace
}  // namespace portail
