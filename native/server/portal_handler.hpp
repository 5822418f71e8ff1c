// The request handler of the portal: answers requests for the page, and passes all others to the core.
#pragma once

#include "core/api/service.hpp"
#include "native/page/page.hpp"
#include "native/server/request_handler.hpp"

namespace portail::server {

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
