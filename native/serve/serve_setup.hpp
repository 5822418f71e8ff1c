// Prepares what `serve` needs before it listens, which `check` checks: settings, key set, certificate, store, span
// export.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "core/auth/key_set.hpp"
#include "core/auth/key_source.hpp"
#include "native/commands/command.hpp"
#include "native/http/tls.hpp"
#include "native/keys/key_documents.hpp"
#include "native/keys/refreshing_keys.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/serve_plan.hpp"
#include "native/settings/setting_values.hpp"
#include "native/system/log.hpp"
#include "native/telemetry/span_export.hpp"

namespace portail {

struct ServeSetup {
  ServePlan plan;
  std::unique_ptr<keys::Document> key_document;
  std::optional<LoadedKeySet> keys;       // the current ones; absent if `serve` fetches them later
  std::shared_ptr<const TlsContext> tls;  // null: plain HTTP
  std::shared_ptr<const TlsContext> management_tls;
  OpenStore portal;
};

// Interprets the settings and checks their files.
std::expected<ServePlan, Fault> load_serve_plan(const SettingValues& values);

// The number of workers: of the setting, or the default of this machine.
std::size_t worker_count(const SettingValues& values);

// Reads and loads the key set from its document.
std::expected<LoadedKeySet, Fault> read_keys(keys::Document& document);

// Null if the settings name no certificate. Requires settings checked by make_serve_plan(). A certificate that is
// expired or not valid yet is a fault.
std::expected<std::shared_ptr<const TlsContext>, Fault> load_tls(const SettingValues& values);
// Returns the TLS of the management interface: `tls`, or with --manage-client-ca, one that requires certificates.
std::expected<std::shared_ptr<const TlsContext>, Fault> load_management_tls(const SettingValues& values,
                                                                            std::shared_ptr<const TlsContext> tls);

// Fails if a certificate of `tls-cert` is not valid now; the error is one line for the operator.
std::expected<void, std::string> check_validity_now(const SettingValues& values, const ChainCertificate& certificate);

// The warning that the certificate expires soon, or that one of its file has expired; or nullopt. `tls` may be null.
std::optional<std::string> certificate_warning(const SettingValues& values, const TlsContext* tls);

// Null if the settings name no collector. A module that cannot be loaded is a fault. Does not connect to the collector.
std::expected<std::unique_ptr<SpanExport>, Fault> open_spans(const SettingValues& values, const ServePlan& plan,
                                                             Log& log);

std::expected<ServeSetup, Fault> set_up(const SettingValues& values, StoreAccess access);

// The keys of a running server. Keys of a text are constant; keys of a file or URL are refreshed after start(). Any
// thread.

class ServedKeys {
 public:
  // Moves the document and the keys out of `setup`. `log` must outlive this.
  ServedKeys(ServeSetup& setup, JsonLog& log);

  // Logs the keys. Keys of a file are loaded when this returns, keys of a URL later.
  void start();
  // Requires start(). Requests a refresh of a file or URL, on the refreshing thread.
  void refresh_soon();
  KeySource& source();
  [[nodiscard]] keys::Status status();

 private:
  JsonLog& log_;
  KeySetLocation location_;
  std::optional<LoadedKeySet> text_;  // logged by start()
  std::optional<FixedKeys> fixed_;
  std::optional<keys::RefreshingKeys> refreshing_;
};

}  // namespace portail
