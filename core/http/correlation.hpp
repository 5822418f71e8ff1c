// The identifier of a request in logs (docs/reference/contract.md, "Answers: always"). Any thread.
#pragma once

#include <string>

#include "core/base/context.hpp"
#include "core/http/request.hpp"

namespace portail {

// Returns 32 random hexadecimal digits.
std::string new_correlation_id(RandomSource& random);

// Returns the request's X-Correlation-Id if it is 1 to 128 characters of [A-Za-z0-9._-], else a new one.
std::string correlation_id_of(const Request& request, RandomSource& random);

}  // namespace portail
