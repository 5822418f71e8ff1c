// The interface between the adapter of a WebAssembly host and the portal: answers requests. One thread.
#pragma once

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

class Handler {
 public:
  virtual ~Handler() = default;

  // Answers one request. Several may be in flight, each in its own coroutine. May set the Context's token_cache. The
  // arguments and this object must stay valid until the answer is sent. If the Task fails, the adapter answers 500.
  // Destroying the Task cancels the request.
  virtual Task<Response> handle(Context& context, const Request& request) = 0;

  // Called after the answer was sent. May start work that goes on after the request. Default: nothing.
  virtual void after_answer(Context&) {}
};

}  // namespace portail
