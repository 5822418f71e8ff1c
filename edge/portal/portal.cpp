#include "edge/portal/portal.hpp"

#include <utility>

#include "edge/portal/unavailable.hpp"
#include "guest/portal.hpp"

namespace portail::edge {
namespace {

class PortalHandler final : public Handler {
 public:
  PortalHandler(const Host& host, PortalSettings settings, std::unique_ptr<KeyValueStore> store)
      : portal_(host.random, std::move(settings), std::move(store)) {}

  Task<Response> handle(Context& context, const Request& request) override { return portal_.handle(context, request); }

 private:
  Portal portal_;
};

class HostVariables final : public Variables {
 public:
  explicit HostVariables(Variable read) : read_(read) {}
  FoundVariable find(const char* name) override { return read_(name); }

 private:
  Variable read_;
};

}  // namespace

std::unique_ptr<Handler> make_portal(const Host& host, Variable variable, OpenStore open_store) {
  HostVariables variables(variable);
  auto settings = read_settings(variables);
  if (!settings) return make_unavailable(host, settings.error());
  auto store = open_store(settings->store);
  if (!store) return make_unavailable(host, store.error());
  if (settings->settings.transport == Transport::loopback) {
    host.log.warn("transport loopback", "requests are answered in clear: this host must listen on loopback only");
  }
  return std::make_unique<PortalHandler>(host, std::move(*settings), std::move(*store));
}

}  // namespace portail::edge
