// The parameters of queries: the endpoints read them by these rows, routes.cpp lists those of each route, and
// core/api/documents/open_api.json is generated from both. Constant; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include "core/api/endpoint.hpp"

namespace portail {

// One parameter of a query.
struct Parameter {
  enum class Form : std::uint8_t { text, boolean, int32, sorting };

  std::string_view name;
  Form form = Form::text;
  std::int32_t default_value = 0;  // the value without the parameter; of a boolean 0 or 1
  std::int32_t min = 0;            // of an int32
  std::int32_t max = INT32_MAX;
};

namespace parameters {

inline constexpr Parameter filter{"Filter"};
inline constexpr Parameter sorting{"Sorting", Parameter::Form::sorting};
inline constexpr Parameter skip_count{"SkipCount", Parameter::Form::int32};
inline constexpr Parameter max_result_count{"MaxResultCount", Parameter::Form::int32, 10, 1, 1000};
inline constexpr Parameter include_texts{"includeLocalizationResources", Parameter::Form::boolean, 1};
inline constexpr Parameter only_dynamic_texts{"onlyDynamics", Parameter::Form::boolean};
inline constexpr Parameter culture_name{"cultureName"};
inline constexpr Parameter include_types{"includeTypes", Parameter::Form::boolean};

}  // namespace parameters

// Returns the value of a boolean in the query of the call, or the answer 400 that names the parameter.
std::expected<bool, Response> read_boolean(const Call& call, const Parameter& parameter);

}  // namespace portail
