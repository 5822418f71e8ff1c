// Reloads a running server on SIGHUP: certificate and key, key set, log level; and a replaced certificate without it.
// One thread.
#pragma once

#include <expected>
#include <string>

#include "native/management/administration_server.hpp"
#include "native/serve/serve_setup.hpp"
#include "native/server/server.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"
#include "native/system/log.hpp"

namespace portail {

// Logs a warning if the certificate expires soon. `tls` may be null.
void warn_if_certificate_expires(const SettingValues& values, const TlsContext* tls, JsonLog& log);

// The identity of the files of the certificate, which changes if one is replaced or written; links are followed.
std::string identity_of_files(const SettingValues& values);

class Reloader {
 public:
  // `values` are those of the start, and `files` the identity of its files before they were read. `administration` may
  // be null. All must outlive the object.
  Reloader(const SettingValues& values, server::Server& server, AdministrationServer* administration, ServedKeys& keys,
           JsonLog& log, std::string files);

  // Reads the configuration file, the certificate, its key and the authorities of clients; flags and environment stay
  // those of the start. Applies all of it, or nothing if a part is invalid; logs the result. The key set is refreshed
  // soon, on its own thread.
  void reload();

  // If a file of the certificate was replaced since the last call, reads all of them. If they do not fit, the previous
  // ones stay, with one warning for each change: the next change is tried again.
  void check_certificate();

 private:
  const SettingValues& values_;
  server::Server& server_;
  AdministrationServer* administration_;
  ServedKeys& keys_;
  JsonLog& log_;
  SettingValues in_force_;  // of the last successful reload
  std::string files_;       // identity of the files that were read last
};

}  // namespace portail
