// The portals of the contract suite, and a management interface, over one KV store: the store of Viceroy is in its
// memory. The port of the request's Host selects a portal, whose settings are in the config store "port" and the port.
#include <memory>
#include <string>

#include "core/base/text.hpp"
#include "core/webassembly/management_portal.hpp"
#include "core/webassembly/portal.hpp"
#include "edge/fastly/kv_store.hpp"
#include "edge/fastly/variables.hpp"
#include "edge/http/client.hpp"
#include "edge/portal/unavailable.hpp"

namespace portail::edge {
namespace {

class Portals final : public Handler {
 public:
  explicit Portals(const Host& host) : host_(host) {}

  Task<Response> handle(Context& context, const Request& request) override {
    const std::string_view authority = find_header(request, "Host").value_or("");
    portal_ = make("port" + std::string(authority.substr(authority.rfind(':') + 1)));
    return portal_->handle(context, request);
  }
  void after_answer(Context& context) override { portal_->after_answer(context); }

 private:
  std::unique_ptr<Handler> make(const std::string& store_of_settings) {
    fastly::StoredVariables variables(store_of_settings);
    auto settings = read_settings(variables);
    if (!settings) return make_unavailable(host_, settings.error());
    if (settings->fetch) settings->fetch->precedes_answer = true;
    auto store = fastly::KvStore::open("portail");
    if (!store) return make_unavailable(host_, store.error());
    auto subjects = variables.find("PORTAIL_MANAGE_SUBJECTS");
    if (!subjects || !*subjects) {
      return std::make_unique<Portal>(host_.random, std::move(*settings), std::move(*store), http_client(),
                                      EmptyStorePolicy::refuse);
    }
    auto management = read_management_variables(variables);
    if (!management) return make_unavailable(host_, management.error());
    return std::make_unique<ManagementPortal>(host_.random, std::move(*settings), std::move(*management),
                                              std::move(*store), http_client());
  }

  Host host_;
  std::unique_ptr<Handler> portal_;
};

}  // namespace

std::unique_ptr<Handler> make_handler(const Host& host) { return std::make_unique<Portals>(host); }

}  // namespace portail::edge
