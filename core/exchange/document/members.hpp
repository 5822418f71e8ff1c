// The members of one object of an import document: each getter gives a checked value, or adds a fault and gives an
// empty one. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/exchange/document/faults.hpp"
#include "core/exchange/document/values.hpp"
#include "core/json/reader.hpp"

namespace portail {

class Members {
 public:
  // Nothing, and a fault, where `value` is no object. Members that are not in `known` are faults.
  static std::optional<Members> of(JsonValue value, const Place& place, std::span<const std::string_view> known,
                                   Faults& faults);

  using Check = Checked<void> (*)(std::string_view text);

  std::string_view string(std::string_view name, Check check);
  bool boolean(std::string_view name);
  // A mail object's id: 0 to 2^53 − 1.
  std::uint64_t id(std::string_view name);
  std::string uuid(std::string_view name);
  DateTime date_time(std::string_view name);
  // An array's elements; empty where it is none.
  std::optional<JsonArray> array(std::string_view name);

  // Whether the member is there and not null.
  [[nodiscard]] bool has(std::string_view name) const;
  // The value of a member that is there, whatever it is.
  [[nodiscard]] JsonValue operator[](std::string_view name) const { return *member(object_, name); }

  [[nodiscard]] Place place(std::string_view name, std::optional<std::uint64_t> index = {}) const {
    return {&place_, name, index};
  }
  void fault(std::string_view name, std::string_view message) { faults_.add(place(name), message); }

 private:
  Members(JsonObject object, const Place& place, Faults& faults) : object_(object), place_(place), faults_(faults) {}
  // The member, or nothing and a fault.
  std::optional<JsonValue> required(std::string_view name);

  JsonObject object_;
  const Place& place_;
  Faults& faults_;
};

}  // namespace portail
