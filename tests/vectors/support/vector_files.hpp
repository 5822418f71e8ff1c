// Public test vectors: where they are, and how their files are read. The same under WASI and Emscripten.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/json/reader.hpp"

namespace portail {

// Who has vectors from outside this repository.
inline constexpr std::string_view in_packages = "which `tools/dev setup vectors` brings";
inline constexpr std::string_view in_no_package = "which no package publishes";

// The base of tests that need such vectors: skips itself, saying which and who has them, where `needed`, a file or a
// folder, is nowhere.
class VectorTest : public testing::Test {
 protected:
  VectorTest(std::string_view needed, std::string_view who_has_it) : needed_(needed), who_has_it_(who_has_it) {}
  void SetUp() override;

 private:
  std::string_view needed_, who_has_it_;
};

// `path` begins with the name of a collection. "rfc/…" is beside these tests; the others are in $PORTAIL_VECTORS or,
// where that is not set, in the first that has them of build/vectors, where tools/lib/vectors.sh puts what packages
// publish, and ../shared/vectors from the project's root. A file or folder that cannot be read fails the test, and
// reads as empty.
[[nodiscard]] std::string read_vector_file(std::string_view path);
[[nodiscard]] std::vector<std::string> list_vector_files(std::string_view folder);  // names, sorted

// The same as a JSON object, which owns what is read from it.
class VectorDocument {
 public:
  explicit VectorDocument(std::string_view path);
  [[nodiscard]] JsonObject root() const { return *object_of(document_->root()); }

 private:
  std::expected<JsonDocument, JsonFault> document_;
};

// Members that every vector of a file has: their absence fails the test, and reads as empty.
[[nodiscard]] std::string_view text_in(JsonObject object, std::string_view name);
[[nodiscard]] std::int64_t number_in(JsonObject object, std::string_view name);
[[nodiscard]] JsonObject object_in(JsonObject object, std::string_view name);
[[nodiscard]] std::vector<JsonObject> objects_in(JsonObject object, std::string_view name);

// A value as JSON text without white space. Numbers are integers: no key and no header has others.
[[nodiscard]] std::string json_text(JsonValue value);
[[nodiscard]] std::string json_text(JsonObject object);

// Calls visit(group, test) for each test of each of a Wycheproof file's groups; answers how many there were.
template <class Visit>
std::size_t for_each_test(const VectorDocument& file, Visit visit) {
  std::size_t count = 0;
  for (const JsonObject group : objects_in(file.root(), "testGroups")) {
    for (const JsonObject test : objects_in(group, "tests")) {
      visit(group, test);
      ++count;
    }
  }
  return count;
}

[[nodiscard]] std::vector<std::byte> bytes_of_hex(std::string_view hex);
[[nodiscard]] std::string text_of_hex(std::string_view hex);

}  // namespace portail
