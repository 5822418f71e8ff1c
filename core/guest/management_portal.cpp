#include "core/guest/management_portal.hpp"

#include <utility>

#include "core/crypto/random_key.hpp"
#include "core/guest/access_line.hpp"
#include "core/guest/make_guest_keys.hpp"
#include "core/guest/stored_import_lock.hpp"
#include "core/settings_check.hpp"

namespace portail {
namespace {

constexpr std::size_t token_cache_capacity = 64;
constexpr std::string_view default_max_document = "64";  // MiB

ManagementSettings management_settings(const PortalSettings& settings, ManagementVariables variables) {
  return {.tokens = settings.settings.tokens,
          .transport = settings.settings.transport,
          .administrators = std::move(variables.administrators),
          .max_document_size = variables.max_document_size,
          .version = PORTAIL_VERSION};
}

}  // namespace

std::expected<ManagementVariables, std::string> read_management_variables(Variables& variables) {
  constexpr SettingName subjects = SettingName::of_guests("manage-subject");
  constexpr SettingName max_document = SettingName::of_guests("manage-max-document");
  auto found = variables.find(subjects->variable.data());
  if (!found) return std::unexpected(std::move(found.error()));
  auto size = variables.find(max_document->variable.data());
  if (!size) return std::unexpected(std::move(size.error()));
  const auto mebibytes = read_number(max_document, variables.shown(max_document->variable),
                                     size->value_or(std::string(default_max_document)));
  if (!mebibytes) return std::unexpected(mebibytes.error());
  return ManagementVariables{.administrators = values_of_list(found->value_or("")),
                             .max_document_size = static_cast<std::uint64_t>(*mebibytes) << 20};
}

ManagementPortal::ManagementPortal(RandomSource& random, PortalSettings settings, ManagementVariables variables,
                                   std::unique_ptr<KeyValueStore> store, HttpClient& client)
    : store_(std::move(store)),
      log_key_(log_key_or_random(std::move(settings.log_key), random)),
      keys_(make_guest_keys(settings, *store_, client)),
      token_cache_(random_key(random), token_cache_capacity),
      host_(*store_),
      management_(management_settings(settings, std::move(variables)), host_, *keys_, *store_) {}

Task<Response> ManagementPortal::handle(Context& context, const Request& request) {
  context.token_cache = &token_cache_;
  co_await keys_->prepare(context, find_header(request, "Authorization").has_value());
  Response response = co_await management_.handle(context, request);
  record_access(context.log, request, response, log_key_);
  co_return response;
}

Task<std::expected<std::unique_ptr<ImportLease>, std::string>> ManagementPortal::Host::lock_import(Context& context) {
  return acquire_stored_lock(context, store_);
}

}  // namespace portail
