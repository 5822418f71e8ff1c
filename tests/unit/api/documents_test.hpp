// The paths of the OpenAPI document and of ABP's API definition, and what tests read in them.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "core/json/reader.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {

inline constexpr std::string_view open_api_target = "/swagger/v1/swagger.json";
inline constexpr std::string_view definition_target = "/api/abp/api-definition";

// "GET /api/app/liasse"
using Operations = std::set<std::string>;

inline std::string operation(std::string_view method, std::string_view path) {
  std::string name;
  for (const char c : method) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name.append(" ").append(path);
}

inline JsonObject as_object(JsonValue element) {
  const auto object = object_of(element);
  EXPECT_TRUE(object.has_value());
  return object.value_or(JsonObject{});
}
// An object's member that is an array.
inline JsonArray array(JsonObject object, std::string_view name) {
  const auto value = member(object, name);
  const auto found = value ? array_of(*value) : std::nullopt;
  EXPECT_TRUE(found.has_value()) << name;
  return found.value_or(JsonArray{});
}
inline JsonObject root(const JsonDocument& document) { return as_object(document.root()); }

// Returns the member at a path of names.
inline JsonObject at(JsonObject object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto value = member(object, name);
    EXPECT_TRUE(value.has_value()) << name;
    if (value) object = as_object(*value);
  }
  return object;
}

inline std::string_view text(JsonObject object, std::string_view name) {
  const auto value = member(object, name);
  return (value ? string_of(*value) : std::nullopt).value_or("");
}

inline std::set<std::string> names(JsonObject object) {
  std::set<std::string> found;
  for (const auto& [name, value] : object) found.emplace(name);
  return found;
}

class DocumentsTest : public PortalTest {
 protected:
  // Returns the document at `target`, read anonymously.
  JsonDocument read(std::string_view target) {
    const Answer answer = get(target, "");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Content-Type"), "application/json; charset=utf-8");
    auto document = parse_json(answer.body, {.unique_names = true});
    EXPECT_TRUE(document.has_value());
    return document ? std::move(*document) : std::move(*parse_json("{}"));
  }
};

}  // namespace portail
