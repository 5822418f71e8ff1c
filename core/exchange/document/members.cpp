#include "core/exchange/document/members.hpp"

#include <algorithm>

#include "core/json/raw_json.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

constexpr std::int64_t max_mail_object_id = (std::int64_t{1} << 53) - 1;

Checked<void> check_nothing(std::string_view /*text*/) { return {}; }

Checked<void> check_code(std::string_view text) {
  if (text.empty()) return std::unexpected("must not be empty");
  return check_text(text);
}

}  // namespace

std::optional<Members> Members::of(JsonValue value, const DocumentLocation& location,
                                   std::span<const std::string_view> known_names, Faults& faults,
                                   std::string_view text) {
  const auto object = object_of(value);
  if (!object) {
    faults.add(location, "must be an object");
    return std::nullopt;
  }
  Members members(*object, location, faults, text);
  for (const auto& [name, _] : *object) {
    if (std::ranges::find(known_names, std::string_view(name)) == known_names.end()) {
      faults.add(location, "unknown member " + in_quotes(name));
    }
  }
  return members;
}

bool Members::has(std::string_view name) const {
  const auto value = member(object_, name);
  return value && !value->is_null();
}

std::optional<JsonValue> Members::required(std::string_view name) {
  auto value = member(object_, name);
  if (!value) fault(name, "missing");
  return value;
}

std::string Members::stored(std::string_view name, Form form, Presence presence) {
  if (is_nullable(presence) && !has(name)) return std::string(stored_null(form));
  switch (form) {
    case Form::date_time:
      return date_time(name);
    case Form::amount:
      return amount(name);
    case Form::boolean:
      return boolean(name) ? "true" : "false";
    case Form::uuid:
      return uuid(name);
    case Form::mail_object:
      return std::to_string(id(name));
    case Form::text:
      return stored_string(string(name, check_text));
    case Form::code:
      return stored_string(string(name, check_code));
    case Form::identifier:
      return stored_string(string(name, check_identifier));
    case Form::bundle_id:
      return stored_string(string(name, check_bundle_id));
    case Form::reference:
      return stored_string(string(name, check_nothing));
  }
  return {};
}

std::string_view Members::string(std::string_view name, Check check) {
  const auto value = required(name);
  if (!value) return {};
  const auto text = string_of(*value);
  if (!text) {
    fault(name, "must be a string");
    return {};
  }
  if (const auto checked = check(*text); !checked) fault(name, checked.error());
  return *text;
}

bool Members::boolean(std::string_view name) {
  const auto value = required(name);
  if (!value) return false;
  const auto truth = boolean_of(*value);
  if (!truth) fault(name, "must be true or false");
  return truth.value_or(false);
}

std::uint64_t Members::id(std::string_view name) {
  const auto value = required(name);
  if (!value) return 0;
  const auto number = integer_of(*value);
  if (!number || *number < 0 || *number > max_mail_object_id) {
    fault(name, "must be an integer from 0 to 9007199254740991");
    return 0;
  }
  return static_cast<std::uint64_t>(*number);
}

std::string Members::uuid(std::string_view name) {
  const auto value = required(name);
  if (!value) return {};
  const auto text = string_of(*value);
  auto uuid = check_uuid(text.value_or(""));
  if (!uuid) fault(name, uuid.error());
  return std::move(uuid).value_or("");
}

std::string Members::date_time(std::string_view name) {
  const auto value = required(name);
  if (!value) return {};
  const auto text = string_of(*value);
  if (!text) {
    fault(name, "must be a string");
    return {};
  }
  auto date = check_date_time(*text);
  if (!date) fault(name, date.error());
  return date ? std::move(date->text) : std::string();
}

std::string Members::amount(std::string_view name) {
  const auto number = raw_member(text_, name);
  if (!number) {
    fault(name, "missing");
    return {};
  }
  if (!(*this)[name].is_number()) {
    fault(name, "must be a number");
  } else if (const auto checked = check_amount(*number); !checked) {
    fault(name, checked.error());
  }
  return std::string(*number);
}

std::optional<JsonArray> Members::array(std::string_view name) {
  const auto value = required(name);
  if (!value) return std::nullopt;
  const auto items = array_of(*value);
  if (!items) fault(name, "must be an array");
  return items;
}

}  // namespace portail
