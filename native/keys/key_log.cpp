#include "native/keys/key_log.hpp"

namespace portail {

void log_key_set(JsonLog& log, const std::string& source, const LoadedKeySet& loaded) {
  log.write(LogLevel::info, "key set loaded",
            {{.name = "source", .text = source},
             {.name = "usable", .text = std::to_string(loaded.keys.size())},
             {.name = "refused", .text = std::to_string(loaded.refusals.size())}});
  for (const KeyRemark& remark : loaded.refusals) log.warn("key refused", describe(remark));
  for (const KeyRemark& remark : loaded.notices) log.warn("key set holds more than it should", describe(remark));
  if (loaded.keys.empty()) log.warn("no usable key: the service is not ready", source);
}

}  // namespace portail
