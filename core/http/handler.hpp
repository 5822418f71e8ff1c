// Answers requests: the interface of a guest to its host's adapter, the same for every host. One thread.
#pragma once

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

class Handler {
 public:
  virtual ~Handler() = default;

  // Answers one request. Several may be under way at the same time, each in a coroutine of its own: what belongs to a
  // request stays there, or in its Context, whose token_cache may be set here. What is given stays valid until the
  // answer was sent, and so does this; a failure is answered with 500. Destroying the Task cancels the request.
  virtual Task<Response> handle(Context& context, const Request& request) = 0;
};

}  // namespace portail
