// Where components find their settings.
#pragma once

#include "guest/settings.hpp"

namespace portail::edge {

// As Variables::find.
using Variable = FoundVariable (*)(const char* name);

// Those of WASI's environment.
FoundVariable environment_variable(const char* name);

}  // namespace portail::edge
