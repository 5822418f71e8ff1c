#include "tests/vectors/support/vector_files.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/auth/jwk.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"

namespace portail {
namespace {

bool file_exists(const std::string& path) {
  struct stat state{};
  return stat(path.c_str(), &state) == 0;
}

// Returns the path of a file or folder of the vectors; its expected path if it does not exist.
std::string path_of(std::string_view path) {
  const std::string behind = "/" + std::string(path);
  if (path.starts_with("rfc/")) return PORTAIL_OWN_VECTORS + behind;
  if (const char* named = std::getenv("TEST_VECTORS")) return named + behind;
  const std::string fetched = PORTAIL_FETCHED_VECTORS + behind;
  const std::string beside = PORTAIL_VECTORS_BESIDE + behind;
  return !file_exists(fetched) && file_exists(beside) ? beside : fetched;
}

}  // namespace

void VectorTest::SetUp() {
  if (!file_exists(path_of(needed_))) GTEST_SKIP() << "no test vectors " << needed_ << ", " << source_;
}

std::string read_vector_file(std::string_view path) {
  std::string text;
  std::FILE* file = std::fopen(path_of(path).c_str(), "rb");
  if (!file) {
    ADD_FAILURE() << "cannot read " << path;
    return text;
  }
  char buffer[65536];
  for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, size);
  std::fclose(file);
  return text;
}

std::vector<std::string> list_vector_files(std::string_view folder) {
  std::vector<std::string> names;
  DIR* opened = opendir(path_of(folder).c_str());
  if (!opened) {
    ADD_FAILURE() << "cannot list " << folder;
    return names;
  }
  while (const dirent* entry = readdir(opened)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  closedir(opened);
  std::ranges::sort(names);
  return names;
}

VectorDocument::VectorDocument(std::string_view path) : document_(parse_json(read_vector_file(path))) {
  if (document_ && object_of(document_->root())) return;
  ADD_FAILURE() << path << " is not a JSON object";
  document_ = parse_json("{}");
}

std::string_view text_in(JsonObject object, std::string_view name) {
  const auto value = member(object, name);
  const auto text = value ? string_of(*value) : std::nullopt;
  EXPECT_TRUE(text.has_value()) << "no text " << name;
  return text.value_or("");
}

std::int64_t number_in(JsonObject object, std::string_view name) {
  const auto value = member(object, name);
  const auto number = value ? integer_of(*value) : std::nullopt;
  EXPECT_TRUE(number.has_value()) << "no number " << name;
  return number.value_or(0);
}

JsonObject object_in(JsonObject object, std::string_view name) {
  const auto value = member(object, name);
  const auto found = value ? object_of(*value) : std::nullopt;
  EXPECT_TRUE(found.has_value()) << "no object " << name;
  return found.value_or(object);
}

std::vector<JsonObject> objects_in(JsonObject object, std::string_view name) {
  std::vector<JsonObject> objects;
  const auto value = member(object, name);
  const auto list = value ? array_of(*value) : std::nullopt;
  EXPECT_TRUE(list.has_value()) << "no array " << name;
  if (!list) return objects;
  for (const JsonValue element : *list) {
    if (const auto each = object_of(element)) objects.push_back(*each);
  }
  return objects;
}

std::string json_text(JsonValue value) {
  std::string text;
  if (const auto object = object_of(value)) return json_text(*object);
  if (const auto list = array_of(value)) {
    for (const JsonValue item : *list) text += (text.empty() ? "[" : ",") + json_text(item);
    return text.empty() ? "[]" : text + "]";
  }
  JsonWriter json(text);
  if (const auto string = string_of(value)) {
    json.string(*string);
  } else if (const auto integer = integer_of(value)) {
    json.integer(*integer);
  } else if (const auto boolean = boolean_of(value)) {
    json.boolean(*boolean);
  } else {
    EXPECT_TRUE(value.is_null()) << "a number that is no integer";
    json.null();
  }
  return text;
}

std::string json_text(JsonObject object) {
  std::string text;
  for (const auto& [name, value] : object) {
    text += text.empty() ? '{' : ',';
    append_json_string(text, name);
    text += ':' + json_text(value);
  }
  return text.empty() ? "{}" : text + "}";
}

std::vector<std::byte> bytes_of_hex(std::string_view hex) {
  const std::string text = text_of_hex(hex);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string text_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  std::string text;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    text += static_cast<char>(static_cast<unsigned char>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return text;
}

LoadedKeySet load_vector_keys(JsonObject jwk_or_set) {
  const std::string text = json_text(jwk_or_set);
  auto loaded = load_key_set(member(jwk_or_set, "keys") ? text : R"({"keys":[)" + text + "]}");
  EXPECT_TRUE(loaded.has_value()) << loaded.error();
  return loaded ? std::move(*loaded) : LoadedKeySet{};
}

KeyMaterial key_material_of(JsonObject jwk) {
  auto key = read_jwk(jwk);
  EXPECT_TRUE(key.has_value()) << key.error();
  return key ? std::move(key->material) : KeyMaterial{HmacSecret{}};
}

}  // namespace portail
