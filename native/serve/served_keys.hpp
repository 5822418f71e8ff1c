// The keys of a running server. Keys of a text are constant; keys of a file or URL are refreshed after start(). Any
// thread.
#pragma once

#include <optional>

#include "core/auth/key_source.hpp"
#include "native/keys/refreshing_keys.hpp"
#include "native/serve/serve_setup.hpp"
#include "native/system/log.hpp"

namespace portail {

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
