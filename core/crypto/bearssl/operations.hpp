// ECDSA with P-256 and RSA by BearSSL, which has no state and asks nothing of a system.
#pragma once

#include "core/crypto/public_key_operations.hpp"

namespace portail {

[[nodiscard]] const PublicKeyOperations& bearssl_operations();

}  // namespace portail
