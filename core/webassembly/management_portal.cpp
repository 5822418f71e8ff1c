#include "core/webassembly/management_portal.hpp"

#include <utility>

#include "core/crypto/random_key.hpp"
#include "core/management/stored_import_lock.hpp"
#include "core/settings/settings_check.hpp"
#include "core/webassembly/access_line.hpp"
#include "core/webassembly/make_guest_keys.hpp"

namespace portail {
namespace {

constexpr std::size_t token_cache_capacity = 64;
constexpr std::string_view default_max_document = "64";  // MiB

ManagementSettings management_settings(const PortalSettings& settings, ManagementVariables variables) {
  return {.tokens = settings.settings.tokens,
          .transport = settings.settings.transport,
          .administrators = std::move(variables.administrators),
          .max_document_size = variables.max_document_size,
          .audit_retention = variables.audit_retention,
          .version = PORTAIL_VERSION};
}

std::expected<std::int64_t, std::string> read_variable(Variables& variables, SettingRow setting,
                                                       std::string_view default_value) {
  auto found = variables.find(setting->variable.data());
  if (!found) return std::unexpected(std::move(found.error()));
  return read_number(setting, variables.shown(setting->variable), found->value_or(std::string(default_value)));
}

}  // namespace

std::expected<ManagementVariables, std::string> read_management_variables(Variables& variables) {
  constexpr SettingRow subjects = guest_setting("manage-subject");
  constexpr SettingRow max_document = guest_setting("manage-max-document");
  constexpr SettingRow retention = guest_setting("audit-retention");
  auto found = variables.find(subjects->variable.data());
  if (!found) return std::unexpected(std::move(found.error()));
  std::vector<std::string> administrators = values_of_list(found->value_or(""));
  const auto checked = check_values(subjects, variables.shown(subjects->variable), administrators);
  if (!checked) return std::unexpected(checked.error());
  const auto mebibytes = read_variable(variables, max_document, default_max_document);
  if (!mebibytes) return std::unexpected(mebibytes.error());
  const auto days = read_variable(variables, retention, retention->default_value);
  if (!days) return std::unexpected(days.error());
  return ManagementVariables{.administrators = std::move(administrators),
                             .audit_retention = *days,
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

Task<std::expected<std::unique_ptr<ImportLease>, std::string>> ManagementPortal::Host::lock_import(
    Context& context, const Author& author) {
  return acquire_stored_lock(context, store_, author, ImportHolder::guest);
}

}  // namespace portail
