// The name under which a request is found again in logs (docs/reference/contract.md, "Answers: always"). Any thread.
#pragma once

#include <string>

#include "core/base/context.hpp"
#include "core/http/request.hpp"

namespace portail {

// 32 hexadecimal digits by chance.
std::string new_correlation_id(RandomSource& random);

// The request's X-Correlation-Id where it is 1 to 128 characters of [A-Za-z0-9._-], else a new one.
std::string correlation_id_of(const Request& request, RandomSource& random);

}  // namespace portail
