#include "edge/fastly/variables.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/settings/guest_settings.hpp"
#include "edge/fastly/buffers.hpp"

namespace portail::fastly {
namespace {

std::expected<Handle, Status> opened(Status (*open)(const char*, std::size_t, Handle*), std::string_view name) {
  Handle store = 0;
  if (const Status status = open(name.data(), name.size(), &store); status != Status::ok)
    return std::unexpected(status);
  return store;
}

// Whether there is no store, or no item, of that name: hosts differ in the status.
bool is_absence(Status status) {
  return status == Status::invalid_argument || status == Status::bad_handle || status == Status::none;
}

bool may_be_secret(std::string_view name) {
  return std::ranges::any_of(guest_settings,
                             [&](const Setting& setting) { return setting.variable == name && setting.may_be_secret; });
}

// Returns the text, nullopt if the item is absent, or the reason.
VariableResult found(std::expected<std::string, Status> text, std::string_view name, std::string_view store) {
  if (text) return std::move(*text);
  if (is_absence(text.error())) return std::nullopt;
  return std::unexpected(std::string(name) + " cannot be read from the " + std::string(store) +
                         ": the platform's status is " + std::to_string(static_cast<std::uint32_t>(text.error())));
}

}  // namespace

StoredVariables::StoredVariables(std::string_view store)
    : configuration_(opened(fastly_config_open, store)), secrets_(opened(fastly_secrets_open, store)) {}

VariableResult StoredVariables::find(const char* variable) {
  const std::string_view name = variable;
  auto configured = configuration_.and_then([&](Handle store) {
    return read_text([&](char* buffer, std::size_t size, std::size_t* written) {
      return fastly_config_get(store, name.data(), name.size(), buffer, size, written);
    });
  });
  auto text = found(std::move(configured), name, "config store");
  if (!text || (*text && !(*text)->empty())) return text;
  if (!may_be_secret(name)) return std::nullopt;
  if (!secrets_) return found(std::unexpected(secrets_.error()), name, "secret store");
  Handle secret = 0;
  const Status status = fastly_secrets_get(*secrets_, name.data(), name.size(), &secret);
  if (status != Status::ok) return found(std::unexpected(status), name, "secret store");
  return found(read_text([&](char* buffer, std::size_t size, std::size_t* written) {
                 return fastly_secret_text(secret, buffer, size, written);
               }),
               name, "secret store");
}

}  // namespace portail::fastly
