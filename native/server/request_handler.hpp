// The interface that answers the requests of a server's connections. Any thread; outlives the server.
#pragma once

#include <optional>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail::server {

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  // Answers one request, with the common headers. The arguments must outlive the Task; destroying it cancels the
  // request.
  virtual Task<Response> handle(Context& context, const Request& request) const = 0;
  // Returns the answer that rejects a request under overload; nullopt: the request is handled.
  virtual std::optional<Response> shed(Context& context, const Request& request) const = 0;
};

}  // namespace portail::server
