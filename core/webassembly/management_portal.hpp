// The management interface in a WebAssembly host: keys, caches and core/management with one store. One thread; many
// requests may be in flight.
#pragma once

#include <memory>
#include <string>

#include "core/auth/token_cache.hpp"
#include "core/http/response.hpp"
#include "core/management/management.hpp"
#include "core/webassembly/guest_keys.hpp"
#include "core/webassembly/http_client.hpp"
#include "core/webassembly/settings.hpp"

namespace portail {

// The settings that only the management interface has. The error is one line for the operator.
struct ManagementVariables {
  std::vector<std::string> administrators;
  std::int64_t audit_retention = 0;     // days
  std::uint64_t max_document_size = 0;  // bytes; a host without files keeps the document in memory
};
std::expected<ManagementVariables, std::string> read_management_variables(Variables& variables);

class ManagementPortal final : public Handler {
 public:
  // `random` is not used after the constructor. `client` must outlive this.
  ManagementPortal(RandomSource& random, PortalSettings settings, ManagementVariables variables,
                   std::unique_ptr<KeyValueStore> store, HttpClient& client);

  // As Management::handle; writes the access line.
  Task<Response> handle(Context& context, const Request& request) override;
  void after_answer(Context& context) override { keys_->after_answer(context); }

 private:
  class Host final : public ManagementHost {
   public:
    explicit Host(KeyValueStore& store) : store_(store) {}
    std::unique_ptr<Spool> new_spool() override { return std::make_unique<MemorySpool>(); }
    Task<std::expected<std::unique_ptr<ImportLease>, std::string>> lock_import(Context& context,
                                                                               const Author& author) override;

   private:
    KeyValueStore& store_;
  };

  std::unique_ptr<KeyValueStore> store_;
  std::string log_key_;  // of the pseudonyms
  std::unique_ptr<GuestKeys> keys_;
  BoundedTokenCache token_cache_;
  Host host_;
  Management management_;
};

}  // namespace portail
