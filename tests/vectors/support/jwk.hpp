// The JSON Web Keys of vectors, loaded as the service loads its own.
#pragma once

#include "core/auth/key_set.hpp"
#include "core/json/value.hpp"

namespace portail {

// Loads a JWK, or a set of them.
[[nodiscard]] LoadedKeySet load_vector_keys(JsonObject jwk_or_set);

// Returns the material of the only key, which must be usable.
[[nodiscard]] KeyMaterial key_material_of(JsonObject jwk);

}  // namespace portail
