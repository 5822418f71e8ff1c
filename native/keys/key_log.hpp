// What the log says of a key set when it begins to count. Any thread.
#pragma once

#include <string>

#include "core/auth/key_set.hpp"
#include "native/host/log.hpp"

namespace portail {

// How many keys there are, and a line for each that is refused or holds more than it should. `source` names the
// document.
void log_key_set(JsonLog& log, const std::string& source, const LoadedKeySet& loaded);

}  // namespace portail
