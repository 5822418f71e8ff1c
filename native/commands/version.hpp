// What this program is, and what it was built of.
#pragma once

#include <string>
#include <string_view>

#include "native/metrics/metric_sources.hpp"

namespace portail {

// "portail 1.2.3".
std::string_view program_version();

BuildInfo build_info();

// The same, then a line each: the compiler and the system, and the libraries that it runs with.
std::string version_text();

}  // namespace portail
