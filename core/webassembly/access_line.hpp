// The access line of a request, for WebAssembly hosts. One thread.
#pragma once

#include <string>

#include "core/base/context.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// Returns the key of the pseudonyms: that of the settings, or a random one.
std::string log_key_or_random(std::string configured, RandomSource& random);

// Writes the line if the request needs one (core/http/response.hpp).
void record_access(Log& log, const Request& request, const Response& response, const std::string& log_key);

}  // namespace portail
