// `portail check --token`: says of one token, claim by claim, what the service would make of it, and whose data it
// would open. The verdict is the core's own. One thread.
#pragma once

#include <expected>
#include <string>

#include "core/auth/key_set.hpp"
#include "core/auth/token_settings.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/settings/fault.hpp"

namespace portail {

// `token` is a compact JWS, or "-": then it is read from standard input. Prints no signature and no key material. A
// fault where the token would be refused.
std::expected<void, Fault> check_token(const std::string& token, const KeySet& keys, const TokenSettings& settings,
                                       KeyValueStore& store);

}  // namespace portail
