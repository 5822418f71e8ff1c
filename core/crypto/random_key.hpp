// A new secret key. Any thread.
#pragma once

#include "core/base/context.hpp"
#include "core/crypto/hash.hpp"

namespace portail {

inline Hash32 random_key(RandomSource& random) {
  Hash32 key;
  random.fill(key);
  return key;
}

}  // namespace portail
