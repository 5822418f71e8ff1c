// Finds and reads the files of public test vectors, and their keys, also under WASI and Emscripten.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/auth/key_set.hpp"
#include "core/json/reader.hpp"
#include "core/json/value.hpp"

namespace portail {

// The source of vectors from outside this repository.
inline constexpr std::string_view in_packages = "which `tools/dev setup vectors` brings";
inline constexpr std::string_view in_no_package = "which no package publishes";

// The base of tests that need such vectors. If `needed`, a file or a folder, does not exist, the test is skipped with a
// message that names the vectors and their source.
class VectorTest : public testing::Test {
 protected:
  VectorTest(std::string_view needed, std::string_view source) : needed_(needed), source_(source) {}
  void SetUp() override;

 private:
  std::string_view needed_, source_;
};

// `path` begins with the name of a collection. "rfc/…" is beside these tests; the others are in $TEST_VECTORS or,
// if it is not set, in build/vectors, where tools/lib/vectors.sh puts the vectors of packages, else in
// ../shared/vectors, relative to the project's root. If a file or folder cannot be read, the test fails, and the result
// is empty.
[[nodiscard]] std::string read_vector_file(std::string_view path);
[[nodiscard]] std::vector<std::string> list_vector_files(std::string_view folder);  // names, sorted

// Reads a file as a JSON object. The result owns the values that are read from it.
class VectorDocument {
 public:
  explicit VectorDocument(std::string_view path);
  [[nodiscard]] JsonObject root() const { return *object_of(document_->root()); }

 private:
  std::expected<JsonDocument, JsonFault> document_;
};

// Required members of a vector. If one is missing, the test fails, and the result is empty.
[[nodiscard]] std::string_view text_in(JsonObject object, std::string_view name);
[[nodiscard]] std::int64_t number_in(JsonObject object, std::string_view name);
[[nodiscard]] JsonObject object_in(JsonObject object, std::string_view name);
[[nodiscard]] std::vector<JsonObject> objects_in(JsonObject object, std::string_view name);

// Returns a value as JSON text without white space. All numbers in keys and headers are integers.
[[nodiscard]] std::string json_text(JsonValue value);
[[nodiscard]] std::string json_text(JsonObject object);

// Calls visit(group, test) for each test of each group of a Wycheproof file, and returns the number of tests.
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

// Loads a JWK, or a set of them, as the service loads its own.
[[nodiscard]] LoadedKeySet load_vector_keys(JsonObject jwk_or_set);

// Returns the material of the only key, which must be usable.
[[nodiscard]] KeyMaterial key_material_of(JsonObject jwk);

}  // namespace portail
