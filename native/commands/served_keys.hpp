// The keys of a server while it runs: those of a text count for ever, those of a file or an address from start() on,
// for as long as their source answers. Any thread.
#pragma once

#include <optional>

#include "core/auth/key_source.hpp"
#include "native/commands/serve_setup.hpp"
#include "native/host/log.hpp"
#include "native/keys/refreshing_keys.hpp"

namespace portail {

class ServedKeys {
 public:
  // Takes the document and the keys out of `setup`. `log` outlives this.
  ServedKeys(ServeSetup& setup, JsonLog& log);

  // Says in the log which keys count; those of a file are there when this returns, those of the network come later.
  void start();
  // After start(): reads a file or an address once more, on the thread that does.
  void refresh_soon();
  KeySource& source();
  [[nodiscard]] KeyStatus status();

 private:
  JsonLog& log_;
  KeyPlace place_;
  std::optional<LoadedKeySet> text_;  // what start() is to speak of
  std::optional<FixedKeys> fixed_;
  std::optional<RefreshingKeys> refreshing_;
};

}  // namespace portail
