// Serves the management interface on its own address, with the portal's server. One thread starts and ends it.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/management/management.hpp"
#include "native/http/tls.hpp"
#include "native/management/store_management.hpp"
#include "native/server/address_range.hpp"
#include "native/server/portal_handler.hpp"
#include "native/server/server.hpp"
#include "native/telemetry/request_metrics.hpp"

namespace portail {

class AdministrationServer {
 public:
  struct Options {
    std::string address;                                // an IP address
    int port = 0;                                       // 0: a free one
    std::shared_ptr<const TlsContext> tls;              // null: plain HTTP
    std::vector<server::AddressRange> trusted_proxies;  // as of the public listener
  };

  // `host` has the clock, the log and the rate limits of the portal; its handler, metrics and limits of bodies are not
  // used. All references must outlive this.
  AdministrationServer(Options options, ManagementSettings settings, const server::Host& host, const StoreUrl& url,
                       KeyValueStore& store, KeySource& keys);
  // Cuts off the requests in flight: an import then leaves what an interrupted one leaves.
  ~AdministrationServer() { store_.stop(); }

  // Starts serving; call it once. Returns the port, or an error message.
  std::expected<int, std::string> start();
  // As Server::replace_certificate. Any thread.
  bool replace_certificate(std::shared_ptr<const TlsContext> tls) {
    return server_.replace_certificate(std::move(tls));
  }

 private:
  class Handler final : public server::RequestHandler {
   public:
    explicit Handler(const Management& management) : management_(management) {}
    Task<Response> handle(Context& context, const Request& request) const override {
      return management_.handle(context, request);
    }
    std::optional<Response> shed(Context&, const Request&) const override { return std::nullopt; }

   private:
    const Management& management_;
  };

  StoreManagement store_;
  Management management_;
  Handler handler_;
  RequestMetrics requests_;  // not published
  server::Host host_;
  server::BackgroundServer server_;
};

}  // namespace portail
