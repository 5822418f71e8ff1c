// `portail check --token`: explains a token claim by claim, the service's verdict, and the caller's access. The core
// decides the verdict. One thread.
#pragma once

#include <expected>
#include <string>

#include "core/auth/key_set.hpp"
#include "core/auth/token_settings.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/settings/fault.hpp"

namespace portail {

// `token` is a compact JWS, or "-" for standard input. Prints neither signature nor key material. A rejected token is a
// fault.
std::expected<void, Fault> check_token(const std::string& token, const KeySet& keys, const TokenSettings& settings,
                                       KeyValueStore& store);

}  // namespace portail
