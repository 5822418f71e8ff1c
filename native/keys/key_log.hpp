// Log lines of a loaded key set. Any thread.
#pragma once

#include <string>

#include "core/auth/key_set.hpp"
#include "native/system/log.hpp"

namespace portail::keys {

// Logs the number of keys, and a line for each key that is refused or has private members. `source` names the document.
void log_key_set(JsonLog& log, const std::string& source, const LoadedKeySet& loaded);

}  // namespace portail::keys
