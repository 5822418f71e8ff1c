// What a component serves that cannot work: it says why in the log, and 503 to everybody, and does not trap.
#pragma once

#include <memory>
#include <string_view>

#include "edge/http/handler.hpp"

namespace portail::edge {

// `why` is one line for the operator.
std::unique_ptr<Handler> make_unavailable(const Host& host, std::string_view why);

}  // namespace portail::edge
