// ECDSA with P-256 and RSA by BearSSL, which has no state and uses no system calls.
#pragma once

#include "core/crypto/public_key_operations.hpp"

namespace portail {

[[nodiscard]] const PublicKeyOperations& bearssl_operations();

}  // namespace portail
