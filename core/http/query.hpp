// The parameters of a query, decoded as ASP.NET Core does: `&` between them, `+` is a space, `%zz` is a byte, and a `%`
// without two hexadecimal digits stays as it is. Names are compared without regard to ASCII case; of a repeated one the
// first counts (docs/reference/contract.md, "Requests: query names"). Any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace portail {

// The decoded value, perhaps empty and perhaps not UTF-8; nullopt where `query` (Target::query) does not have `name`.
std::optional<std::string> query_value(std::string_view query, std::string_view name);

struct NotAnInteger {};

// The value as an int32: digits, a sign before them or none, white space around them or none, as ASP.NET Core binds it.
// nullopt where the parameter is absent; an empty value is not an integer.
std::expected<std::optional<std::int32_t>, NotAnInteger> int32_parameter(std::string_view query, std::string_view name);

// The value as a boolean: true or false without regard to ASCII case, white space around it or none. `otherwise` where
// the parameter is absent, or empty; nullopt for any other value.
std::optional<bool> boolean_parameter(std::string_view query, std::string_view name, bool otherwise = false);

}  // namespace portail
