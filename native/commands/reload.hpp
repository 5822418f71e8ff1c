// Reloads a running server on SIGHUP: certificate and key, key set, log level. One thread.
#pragma once

#include <expected>

#include "native/commands/served_keys.hpp"
#include "native/management/administration_server.hpp"
#include "native/server/server.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"
#include "native/system/log.hpp"

namespace portail {

// Logs a warning if the certificate expires soon. `tls` may be null.
void warn_if_certificate_expires(const SettingValues& values, const TlsContext* tls, JsonLog& log);

// Reads the configuration file, the certificate, its key and the authorities of clients; flags and environment stay
// those of the start. Applies all of it, or nothing if a part is invalid; logs the result. The key set is refreshed
// soon, on its own thread. `values` are those of the start. `administration` may be null.
void reload(const SettingValues& values, server::Server& server, AdministrationServer* administration, ServedKeys& keys,
            JsonLog& log);

}  // namespace portail
