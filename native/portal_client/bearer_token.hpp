// The token that a client of a portal sends. One thread.
#pragma once

#include <expected>
#include <string>

#include "native/settings/fault.hpp"

namespace portail {

// Returns the token of `file`, or of the variable PORTAIL_TOKEN if `file` is empty. Its absence is a fault.
std::expected<std::string, Fault> read_bearer_token(const std::string& file);

}  // namespace portail
