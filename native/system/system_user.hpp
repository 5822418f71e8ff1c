// The user of this process, for the audit. Any thread.
#pragma once

#include <string>

namespace portail {

// Returns the operating system's name of the user, or its number if there is no name in UTF-8.
std::string system_user();

}  // namespace portail
