// The portal: the page where a request is for it, else the core.
#pragma once

#include "core/service.hpp"
#include "native/page/page.hpp"
#include "native/server/request_handler.hpp"

namespace portail {

class PortalHandler final : public RequestHandler {
 public:
  // `page` is null where none is served. Both outlive the handler.
  explicit PortalHandler(const Service& service, const Page* page = nullptr) : service_(service), page_(page) {}

  Task<Response> handle(Context& context, const Request& request) const override;
  std::optional<Response> shed(Context& context, const Request& request) const override;

 private:
  const Service& service_;
  const Page* page_;
};

}  // namespace portail
