// The parameters of a query, decoded as in ASP.NET Core: `&` separates them, `+` is a space, `%zz` is a byte, and a `%`
// without two hexadecimal digits is unchanged. Names are compared without regard to ASCII case; of a repeated one the
// first counts (docs/reference/contract.md, "Requests: query names"). Any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace portail {

struct QueryParameter {
  std::string name;
  std::string value;  // empty without `=` too
};

// Removes the first parameter from `query` and returns it, decoded; nullopt if there is none. Skips empty ones (`&&`).
std::optional<QueryParameter> next_parameter(std::string_view& query);

// Returns the decoded value, which may be empty or not UTF-8; nullopt if `query` (Target::query) does not contain
// `name`.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

struct NotAnInteger {};

// Returns the value as an int32: digits with an optional sign and optional white space around them, as ASP.NET Core
// binds it. nullopt if the parameter is absent; an empty value is not an integer.
std::expected<std::optional<std::int32_t>, NotAnInteger> int32_parameter(std::string_view query, std::string_view name);

// Returns the value as a boolean: true or false without regard to ASCII case, with optional white space around it.
// `default_value` if the parameter is absent or empty; nullopt for any other value.
std::optional<bool> boolean_parameter(std::string_view query, std::string_view name, bool default_value = false);

}  // namespace portail
