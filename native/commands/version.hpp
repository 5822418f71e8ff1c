// The version and the build of the program.
#pragma once

#include <string>
#include <string_view>

#include "native/metrics/metric_sources.hpp"

namespace portail {

// "portail 1.2.3".
std::string_view program_version();

BuildInfo build_info();

// The version, then a line for compiler and system, and one for the libraries.
std::string version_text();

}  // namespace portail
