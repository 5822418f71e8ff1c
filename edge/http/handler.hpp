// What a component does with requests. A component defines make_handler() and is linked with one of the adapters
// (edge/http/p2, edge/http/p3), which call it; nothing else is needed (edge/README.md).
#pragma once

#include <memory>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail::edge {

// What the host offers to every request; it lives as long as the instance.
struct Host {
  const Clock& clock;
  RandomSource& random;
  Log& log;
};

class Handler {
 public:
  virtual ~Handler() = default;

  // Answers one request. Several may be under way at the same time, each in a coroutine of its own: what belongs to a
  // request stays there, or in its Context, whose token_cache may be set here. What is given stays valid until the
  // answer was sent; a failure is answered with 500. Destroying the Task cancels the request.
  virtual Task<Response> handle(Context& context, const Request& request) = 0;
};

// Defined by the component. Called once for each instance, at its first request; `host` outlives the handler.
std::unique_ptr<Handler> make_handler(const Host& host);

}  // namespace portail::edge
