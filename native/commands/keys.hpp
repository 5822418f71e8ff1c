// Stores key sets, for `keys store` and `development`. One thread.
#pragma once

#include <expected>
#include <string_view>

#include "core/auth/key_set.hpp"
#include "native/commands/command.hpp"

namespace portail {

// Stores the public key set `text`, of at most max_value_size bytes, under the lock of imports.
std::expected<void, Fault> store_key_set(OpenStore& portal, const LoadedKeySet& loaded, std::string_view text);

}  // namespace portail
