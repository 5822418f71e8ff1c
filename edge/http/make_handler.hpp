// The entry point of a component. A component defines make_handler(), and is linked with one of the adapters
// (edge/http/p2, edge/http/p3, edge/fastly), which call it (edge/README.md).
#pragma once

#include <memory>

#include "core/http/response.hpp"

namespace portail::edge {

// The host's services. They live as long as the instance.
struct Host {
  const Clock& clock;
  RandomSource& random;
  Log& log;
};

// Creates the handler. Defined by the component, and called once for each instance, at its first request. `host`
// outlives the handler.
std::unique_ptr<Handler> make_handler(const Host& host);

}  // namespace portail::edge
