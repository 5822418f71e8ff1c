// What answers the requests of a server's connections: an interface, and the portal.
#pragma once

#include <optional>

#include "core/api/service.hpp"
#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "native/page/page.hpp"

namespace portail::server {

// The interface that answers the requests of a server's connections. Any thread; outlives the server.

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  // Answers one request, with the common headers. The arguments must outlive the Task; destroying it cancels the
  // request.
  virtual Task<Response> handle(Context& context, const Request& request) const = 0;
  // Returns the answer that rejects a request under overload; nullopt: the request is handled.
  virtual std::optional<Response> shed(Context& context, const Request& request) const = 0;
};

// The request handler of the portal: answers requests for the page, and passes all others to the core.

class PortalHandler final : public RequestHandler {
 public:
  // `page` is null if no page is served. Both must outlive the handler.
  explicit PortalHandler(const Service& service, const Page* page = nullptr) : service_(service), page_(page) {}

  Task<Response> handle(Context& context, const Request& request) const override;
  std::optional<Response> shed(Context& context, const Request& request) const override;

 private:
  const Service& service_;
  const Page* page_;
};

}  // namespace portail::server
