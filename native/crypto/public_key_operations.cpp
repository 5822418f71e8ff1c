#include "native/crypto/openssl_operations.hpp"

namespace portail {

const PublicKeyOperations& public_key_operations() { return openssl_operations(); }

}  // namespace portail
