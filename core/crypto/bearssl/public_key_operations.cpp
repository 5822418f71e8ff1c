#include "core/crypto/bearssl/operations.hpp"

namespace portail {

const PublicKeyOperations& public_key_operations() { return bearssl_operations(); }

}  // namespace portail
