// What a running server takes anew when it is told to (SIGHUP): its certificate and key, its key set, and the level of
// its log. One thread.
#pragma once

#include <expected>

#include "native/commands/served_keys.hpp"
#include "native/host/log.hpp"
#include "native/server/server.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

// A warning where the certificate expires soon; null is none.
void warn_of_certificate(const SettingValues& values, const TlsContext* tls, JsonLog& log);

// Reads the configuration file, the certificate and its key again; flags and environment stay what they were at the
// start. Takes all of it or, where one is broken, nothing, and says so in the log. The key set is read soon, by the
// thread that always reads it. `values` are those of the start.
void reload(const SettingValues& values, Server& server, ServedKeys& keys, JsonLog& log);

}  // namespace portail
