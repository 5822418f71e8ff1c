// What every answer of one kind must look like; each failure shows the request's answer.
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

// Status 200, the JSON content type and exactly these bytes.
void expect_json(const Reply& reply, std::string_view body);

struct ExpectedError {
  std::optional<std::string> message = std::nullopt;  // absent: the contract leaves the sentence open
  std::optional<std::string> code = std::nullopt;     // absent: null
  std::string language = "en";
};
// An error that is not of validation: ABP's body with every member, and the headers of every error.
void expect_error(const Reply& reply, int status, const ExpectedError& expected = {});

// A 400 of validation. `members`: of each validation error in turn, sorted; "" for an error without members.
void expect_validation_error(const Reply& reply, std::vector<std::string> members, std::string_view language = "en");
// A 400 whose members the contract leaves open (the JSON is well-formed, but no object).
void expect_any_validation_error(const Reply& reply);

// A 401 with this WWW-Authenticate: "Bearer" alone, or with invalid_token and a description, which is returned.
void expect_anonymous_refused(const Reply& reply);
std::string expect_token_refused(const Reply& reply);

// The headers of the contract's row "always", Vary included.
void expect_common_headers(const Reply& reply);

// The parsed body; a null value, and a failure, where it is not JSON.
picojson::value parsed(const Reply& reply);
// A member by its path: at(value, {"currentUser", "id"}); null where it is missing.
picojson::value at(const picojson::value& value, const std::vector<std::string>& path);

}  // namespace portail::contract
