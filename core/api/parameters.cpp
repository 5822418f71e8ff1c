#include "core/api/parameters.hpp"

#include <span>

#include "core/http/problem.hpp"

namespace portail {

std::expected<bool, Response> read_boolean(const Call& call, const Parameter& parameter) {
  const auto value = boolean_parameter(call.target.query(), parameter.name, parameter.default_value != 0);
  if (value) return *value;
  const ValidationError error{Message::field_not_boolean, parameter.name};
  return std::unexpected(validation_problem(call.language, std::span(&error, 1)));
}

}  // namespace portail
