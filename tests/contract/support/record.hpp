// What was asked and answered, written down for whoever compares it with the interface's description
// (tests/description/check_exchanges.py).
#pragma once

#include <string_view>

#include "tests/contract/support/connection.hpp"

namespace portail::contract {

// Appends one line to the file of PORTAIL_CONTRACT_RECORD, where that is set: a JSON object with the method, the
// target, the status, the headers, and the body where it is JSON as it stands. Throws std::runtime_error where the file
// cannot be written.
void record(std::string_view method, std::string_view target, const Reply& reply);

}  // namespace portail::contract
