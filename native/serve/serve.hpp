// `portail serve`, for commands that serve with a handler of their own. One thread.
#pragma once

#include <expected>
#include <functional>
#include <memory>

#include "native/server/portal_handler.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// Returns a handler around that of the portal, which outlives it. Called before the server listens; threads that it
// starts do not get the signals of the server.
using WrapHandler = std::function<std::unique_ptr<server::RequestHandler>(const server::RequestHandler& portal)>;

// Serves the portal until a signal. The handler of `wrap`, if given, is destroyed after the last answer, while a second
// signal still ends the program.
std::expected<void, Fault> serve_portal(const SettingValues& values, const WrapHandler& wrap = nullptr);

}  // namespace portail
