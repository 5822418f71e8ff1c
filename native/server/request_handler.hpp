// What answers the requests of a server's connections. Any thread; outlives the server.
#pragma once

#include <optional>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  // Answers one request, with what every answer carries. What is given outlives the Task; destroying that cancels the
  // request.
  virtual Task<Response> handle(Context& context, const Request& request) const = 0;
  // The answer to a request that the server has no room for; nullopt: it is handled.
  virtual std::optional<Response> shed(Context& context, const Request& request) const = 0;
};

}  // namespace portail
