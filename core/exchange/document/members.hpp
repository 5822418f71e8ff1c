// The members of one object of an import document. Each getter returns a checked value, or adds a fault and returns an
// empty one. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/exchange/document/faults.hpp"
#include "core/json/reader.hpp"
#include "core/portal/records/fields.hpp"
#include "core/portal/values.hpp"

namespace portail {

class Members {
 public:
  // Returns nullopt and adds a fault if `value` is not an object. Members that are not in `known_names` are faults.
  // `text` is the object's JSON, which members of Form::amount need.
  static std::optional<Members> of(JsonValue value, const DocumentLocation& location,
                                   std::span<const std::string_view> known_names, Faults& faults,
                                   std::string_view text = {});

  // Returns the members of a record as a stored line has them (records/fields.hpp).
  template <class Record>
  std::string line() {
    std::string line;
    for (const Field<Record>& field : fields_of<Record>) {
      if (!line.empty()) line += '\t';
      line += stored(field.name, field.form, field.presence);
    }
    return line;
  }

  using Check = Checked<void> (*)(std::string_view text);

  std::string_view string(std::string_view name, Check check);
  bool boolean(std::string_view name);
  // Reads a mail object's id: 0 to 2^53 − 1.
  std::uint64_t id(std::string_view name);
  // Reads an array; nullopt after a fault.
  std::optional<JsonArray> array(std::string_view name);

  // Whether the member is present and not null.
  [[nodiscard]] bool has(std::string_view name) const;
  // Returns the value of a member that is present, of any type.
  [[nodiscard]] JsonValue operator[](std::string_view name) const { return *member(object_, name); }

  [[nodiscard]] DocumentLocation location(std::string_view name, std::optional<std::uint64_t> index = {}) const {
    return {&location_, name, index};
  }
  void fault(std::string_view name, std::string_view message) { faults_.add(location(name), message); }

 private:
  Members(JsonObject object, const DocumentLocation& location, Faults& faults, std::string_view text)
      : object_(object), location_(location), faults_(faults), text_(text) {}
  // Returns the member in its stored form.
  std::string stored(std::string_view name, Form form, Presence presence);
  std::string uuid(std::string_view name);
  std::string date_time(std::string_view name);
  std::string amount(std::string_view name);
  // Returns the member; nullopt and a fault if it is missing.
  std::optional<JsonValue> required(std::string_view name);

  JsonObject object_;
  const DocumentLocation& location_;
  Faults& faults_;
  std::string_view text_;
};

}  // namespace portail
