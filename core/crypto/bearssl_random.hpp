// Adapts a RandomSource to BearSSL's generator interface. Cannot be moved. For the sources of core/crypto that generate
// keys.
#pragma once

#include <cstddef>
#include <span>

#include <bearssl.h>

#include "core/base/context.hpp"

namespace portail {

class BearSslRandom {
 public:
  explicit BearSslRandom(RandomSource& random) : random_(random) {}
  BearSslRandom(const BearSslRandom&) = delete;
  BearSslRandom& operator=(const BearSslRandom&) = delete;

  // BearSSL's form of a generator: a pointer to a pointer to its functions. Valid as long as this object.
  const br_prng_class** generator() { return &state_.functions; }

 private:
  // BearSSL passes the address of the first member, which is that of the struct.
  struct State {
    const br_prng_class* functions;
    RandomSource* random;
  };

  static void generate(const br_prng_class** generator, void* bytes, std::size_t size) {
    reinterpret_cast<State*>(generator)->random->fill({static_cast<std::byte*>(bytes), size});
  }

  static constexpr br_prng_class generator_class{sizeof(State), nullptr, generate, nullptr};

  RandomSource& random_;
  State state_{&generator_class, &random_};
};

}  // namespace portail
