#include "native/keys/key_log.hpp"

namespace portail::keys {

void log_key_set(JsonLog& log, const std::string& source, const LoadedKeySet& loaded) {
  log.write(LogLevel::info, "key set loaded",
            {{.name = "source", .text = source},
             {.name = "usable", .text = std::to_string(loaded.keys.size())},
             {.name = "refused", .text = std::to_string(loaded.refusals.size())}});
  for (const KeyDiagnostic& diagnostic : loaded.refusals) log.warn("key refused", describe(diagnostic));
  for (const KeyDiagnostic& diagnostic : loaded.notices) {
    if (is_refused(loaded, diagnostic.index)) continue;  // one line for each key
    log.warn("key set has private members", describe(diagnostic));
  }
  if (loaded.keys.empty()) log.warn("no usable key: the service is not ready", source);
}

}  // namespace portail::keys
