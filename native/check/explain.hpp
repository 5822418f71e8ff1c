// `portail explain`: from a line of the log to the cause and the remedy. One thread.
#pragma once

#include <string_view>

#include "core/http/reason_table.hpp"

namespace portail {

// Returns the row of a reason's text, or null.
const ReasonRow* find_reason(std::string_view text);

}  // namespace portail
