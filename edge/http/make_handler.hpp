// What a component is for: it defines make_handler() and is linked with one of the adapters (edge/http/p2,
// edge/http/p3), which call it; nothing else is needed (edge/README.md).
#pragma once

#include <memory>

#include "core/http/handler.hpp"

namespace portail::edge {

// What the host offers to every request; it lives as long as the instance.
struct Host {
  const Clock& clock;
  RandomSource& random;
  Log& log;
};

// Defined by the component. Called once for each instance, at its first request; `host` outlives the handler.
std::unique_ptr<Handler> make_handler(const Host& host);

}  // namespace portail::edge
