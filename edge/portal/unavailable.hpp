// The handler in the place of a portal that cannot be created: a trap would not report the reason.
#pragma once

#include <memory>
#include <string_view>

#include "edge/http/make_handler.hpp"

namespace portail::edge {

// Logs the reason. Every answer of the handler is 503, until the host creates a new instance.
std::unique_ptr<Handler> make_unavailable(const Host& host, std::string_view reason);

}  // namespace portail::edge
