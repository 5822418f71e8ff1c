// ECDSA with P-256 and RSA, by OpenSSL.
#pragma once

#include "core/crypto/public_key_operations.hpp"

namespace portail {

[[nodiscard]] const PublicKeyOperations& openssl_operations();

}  // namespace portail
