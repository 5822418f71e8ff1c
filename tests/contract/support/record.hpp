// Records exchanges, for the comparison with the API's description (tests/description/check_exchanges.py).
#pragma once

#include <string_view>

#include "tests/contract/support/connection.hpp"

namespace portail::contract {

// Appends one line to the file of PORTAIL_CONTRACT_RECORD, if it is set: a JSON object with the method, the target, the
// status, the headers, and a JSON body unchanged. Throws std::runtime_error if the file cannot be written.
void record(std::string_view method, std::string_view target, const Reply& reply);

}  // namespace portail::contract
