// A number with its noun, in the singular or the plural. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portail {

// "1 key", "0 keys"; `one` and `more` are the noun and what may follow it.
inline std::string counted(std::uint64_t number, std::string_view one, std::string_view more) {
  return (std::to_string(number) + ' ').append(number == 1 ? one : more);
}

}  // namespace portail
