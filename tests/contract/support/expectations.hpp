// Checks of each kind of answer; a failure prints the request's answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <picojson.h>

#include "tests/contract/support/connection.hpp"

namespace portail::contract {

inline constexpr std::string_view json_content_type = "application/json; charset=utf-8";
inline constexpr std::string_view vary_everything = "Authorization, Origin, Accept-Encoding, Accept-Language";

std::string describe(const Reply& reply);
void PrintTo(const Reply& reply, std::ostream* out);

// Expects status 200, the JSON content type and exactly these bytes.
void expect_json(const Reply& reply, std::string_view body);

struct ExpectedError {
  std::optional<std::string> message = std::nullopt;  // absent: unspecified
  std::optional<std::string> code = std::nullopt;     // absent: null
  std::string data = "{}";
  std::string language = "en";
};
// Expects an error other than a validation error: ABP's body with every member, and the headers of every error.
void expect_error(const Reply& reply, int status, const ExpectedError& expected = {});

// Expects a 400 of validation. `members`: those of each validation error in order, sorted; "" for an error without
// members.
void expect_validation_error(const Reply& reply, std::vector<std::string> members, std::string_view language = "en");
// Expects a 400 whose members the contract does not specify (well-formed JSON that is not an object).
void expect_any_validation_error(const Reply& reply);

// Expects a 401 with this WWW-Authenticate: "Bearer" alone, or with invalid_token and a description, which is returned.
void expect_anonymous_refused(const Reply& reply);
std::string expect_token_refused(const Reply& reply);

// Expects the headers of the contract's row "always", Vary included.
void expect_common_headers(const Reply& reply);

// Returns the parsed body; a null value, and a failure, if it is not JSON.
picojson::value parsed(const Reply& reply);
// Returns a member by its path: at(value, {"currentUser", "id"}); null if it is missing.
picojson::value at(const picojson::value& value, const std::vector<std::string>& path);

}  // namespace portail::contract
