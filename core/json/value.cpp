#include "core/json/value.hpp"

#include <utility>

#include "core/base/text.hpp"
#include "core/json/simdjson_handle.hpp"

namespace portail {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

element element_of(JsonValue value) { return simdjson_handle<element>(value.handle()); }

template <class Iterator>
JsonHandle advanced(JsonHandle handle) {
  auto iterator = simdjson_handle<Iterator>(handle);
  return handle_of(++iterator);
}

template <class T>
std::optional<T> to_optional(simdjson::simdjson_result<T> result) {
  T value;
  if (std::move(result).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

}  // namespace

JsonValue JsonArray::Traversal::at(JsonHandle handle) {
  return JsonValue(handle_of(*simdjson_handle<array::iterator>(handle)));
}
JsonHandle JsonArray::Traversal::next(JsonHandle handle) { return advanced<array::iterator>(handle); }

JsonIterator<JsonArray::Traversal> JsonArray::begin() const {
  return JsonIterator<Traversal>(handle_of(simdjson_handle<array>(handle_).begin()));
}
JsonIterator<JsonArray::Traversal> JsonArray::end() const {
  return JsonIterator<Traversal>(handle_of(simdjson_handle<array>(handle_).end()));
}

JsonMember JsonObject::Traversal::at(JsonHandle handle) {
  const auto iterator = simdjson_handle<object::iterator>(handle);
  return {iterator.key(), JsonValue(handle_of(iterator.value()))};
}
JsonHandle JsonObject::Traversal::next(JsonHandle handle) { return advanced<object::iterator>(handle); }

JsonIterator<JsonObject::Traversal> JsonObject::begin() const {
  return JsonIterator<Traversal>(handle_of(simdjson_handle<object>(handle_).begin()));
}
JsonIterator<JsonObject::Traversal> JsonObject::end() const {
  return JsonIterator<Traversal>(handle_of(simdjson_handle<object>(handle_).end()));
}

FoundMember find_member_ignoring_case(JsonObject members, std::string_view name) {
  FoundMember found;
  for (const auto& [member_name, value] : members) {
    if (!equals_ignoring_case(member_name, name)) continue;
    if (found.count++ == 0) found.value = value;
  }
  return found;
}

std::optional<JsonValue> member(JsonObject members, std::string_view name) {
  const auto value = to_optional(simdjson_handle<object>(members.handle()).at_key(name));
  return value ? std::optional(JsonValue(handle_of(*value))) : std::nullopt;
}

bool JsonValue::is_null() const { return element_of(*this).is_null(); }
bool JsonValue::is_number() const { return element_of(*this).is_number(); }

std::optional<std::string_view> string_of(JsonValue value) { return to_optional(element_of(value).get_string()); }
std::optional<bool> boolean_of(JsonValue value) { return to_optional(element_of(value).get_bool()); }
std::optional<std::int64_t> integer_of(JsonValue value) { return to_optional(element_of(value).get_int64()); }
std::optional<double> number_of(JsonValue value) { return to_optional(element_of(value).get_double()); }

std::optional<JsonObject> object_of(JsonValue value) {
  const auto found = to_optional(element_of(value).get_object());
  return found ? std::optional(JsonObject(handle_of(*found))) : std::nullopt;
}

std::optional<JsonArray> array_of(JsonValue value) {
  const auto found = to_optional(element_of(value).get_array());
  return found ? std::optional(JsonArray(handle_of(*found))) : std::nullopt;
}

std::optional<std::string_view> string_member(JsonObject object, std::string_view name) {
  const auto found = member(object, name);
  return found ? string_of(*found) : std::nullopt;
}

std::optional<std::int64_t> integer_member(JsonObject object, std::string_view name) {
  const auto found = member(object, name);
  return found ? integer_of(*found) : std::nullopt;
}

}  // namespace portail
