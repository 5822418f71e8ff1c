// What this program is, and what it was built of.
#pragma once

#include <string>

namespace portail {

// "portail 1.2.3", then a line each: the compiler and the system, and the libraries that it runs with.
std::string version_text();

}  // namespace portail
