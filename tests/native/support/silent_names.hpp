// This program's own getaddrinfo takes the place of glibc's: names below ".silent.invalid" are never answered, names
// below ".unknown.invalid" do not exist, and calls are counted. Any thread.
#pragma once

#include <string_view>

namespace portail {

inline constexpr std::string_view counted_name = "counted.silent.invalid";
// The number of lookups of `counted_name`.
int counted_lookups();

}  // namespace portail
