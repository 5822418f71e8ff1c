// What `serve` needs before it listens, and `check` looks at: settings that make sense, where the keys are, a
// certificate, a store, what sends spans.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "core/auth/key_set.hpp"
#include "native/commands/command.hpp"
#include "native/http/tls.hpp"
#include "native/keys/key_document.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/serve_plan.hpp"
#include "native/settings/setting_values.hpp"
#include "native/telemetry/span_export.hpp"

namespace portail {

struct ServeSetup {
  ServePlan plan;
  std::unique_ptr<KeyDocument> key_document;
  std::optional<LoadedKeySet> keys;       // those of the document now; `serve` does not wait for the network
  std::shared_ptr<const TlsContext> tls;  // null: in clear
  OpenStore portal;
  std::string personas;  // of the page; empty: none
};

// The settings that make sense together, and whose files can be read. Tells of variables that no setting has.
std::expected<ServePlan, Fault> plan_of(const SettingValues& values);

// The key set as its document has it now.
std::expected<LoadedKeySet, Fault> read_keys(KeyDocument& document);

// Null where the settings name no certificate. Those settings go together, as make_plan() sees to. A certificate that
// has expired, or is not valid yet, is a fault.
std::expected<std::shared_ptr<const TlsContext>, Fault> load_tls(const SettingValues& values);

// What the operator should know of the certificate that load_tls() gave, null included: that it expires soon.
std::optional<std::string> remark_on_certificate(const SettingValues& values, const TlsContext* tls);

// Null where the settings name no collector; a module that cannot be loaded is a fault. Asks the collector nothing yet.
std::expected<std::unique_ptr<SpanExport>, Fault> open_spans(const SettingValues& values, const ServePlan& plan,
                                                             Log& log);

std::expected<ServeSetup, Fault> set_up(const SettingValues& values, StoreAccess access);

}  // namespace portail
