#include "core/json/value.hpp"

#include <utility>

#include "core/base/text.hpp"
#include "core/json/simdjson_handle.hpp"

namespace portail {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

element element_of(JsonValue value) { return handle_at<element>(value.place()); }

template <class Iterator>
JsonPlace next(JsonPlace place) {
  auto iterator = handle_at<Iterator>(place);
  return place_of(++iterator);
}

template <class T>
std::optional<T> wanted(simdjson::simdjson_result<T> result) {
  T value;
  if (std::move(result).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

}  // namespace

JsonValue JsonArray::Read::at(JsonPlace place) { return JsonValue(place_of(*handle_at<array::iterator>(place))); }
JsonPlace JsonArray::Read::after(JsonPlace place) { return next<array::iterator>(place); }

JsonIterator<JsonArray::Read> JsonArray::begin() const {
  return JsonIterator<Read>(place_of(handle_at<array>(place_).begin()));
}
JsonIterator<JsonArray::Read> JsonArray::end() const {
  return JsonIterator<Read>(place_of(handle_at<array>(place_).end()));
}

JsonMember JsonObject::Read::at(JsonPlace place) {
  const auto iterator = handle_at<object::iterator>(place);
  return {iterator.key(), JsonValue(place_of(iterator.value()))};
}
JsonPlace JsonObject::Read::after(JsonPlace place) { return next<object::iterator>(place); }

JsonIterator<JsonObject::Read> JsonObject::begin() const {
  return JsonIterator<Read>(place_of(handle_at<object>(place_).begin()));
}
JsonIterator<JsonObject::Read> JsonObject::end() const {
  return JsonIterator<Read>(place_of(handle_at<object>(place_).end()));
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
  const auto value = wanted(handle_at<object>(members.place()).at_key(name));
  return value ? std::optional(JsonValue(place_of(*value))) : std::nullopt;
}

bool JsonValue::is_null() const { return element_of(*this).is_null(); }
bool JsonValue::is_number() const { return element_of(*this).is_number(); }

std::optional<std::string_view> string_of(JsonValue value) { return wanted(element_of(value).get_string()); }
std::optional<bool> boolean_of(JsonValue value) { return wanted(element_of(value).get_bool()); }
std::optional<std::int64_t> integer_of(JsonValue value) { return wanted(element_of(value).get_int64()); }
std::optional<double> number_of(JsonValue value) { return wanted(element_of(value).get_double()); }

std::optional<JsonObject> object_of(JsonValue value) {
  const auto found = wanted(element_of(value).get_object());
  return found ? std::optional(JsonObject(place_of(*found))) : std::nullopt;
}

std::optional<JsonArray> array_of(JsonValue value) {
  const auto found = wanted(element_of(value).get_array());
  return found ? std::optional(JsonArray(place_of(*found))) : std::nullopt;
}

std::optional<std::string_view> string_member(JsonObject object, std::string_view name) {
  const auto found = member(object, name);
  return found ? string_of(*found) : std::nullopt;
}

}  // namespace portail
