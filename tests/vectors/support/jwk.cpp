#include "tests/vectors/support/jwk.hpp"

#include <string>

#include <gtest/gtest.h>

#include "core/auth/jwk.hpp"
#include "core/json/reader.hpp"
#include "tests/vectors/support/vector_files.hpp"

namespace portail {

LoadedKeySet load_vector_keys(JsonObject jwk_or_set) {
  const std::string text = json_text(jwk_or_set);
  auto loaded = load_key_set(member(jwk_or_set, "keys") ? text : R"({"keys":[)" + text + "]}");
  EXPECT_TRUE(loaded.has_value()) << loaded.error();
  return loaded ? std::move(*loaded) : LoadedKeySet{};
}

KeyMaterial key_material_of(JsonObject jwk) {
  auto key = read_jwk(jwk);
  EXPECT_TRUE(key.has_value()) << key.error();
  return key ? std::move(key->material) : KeyMaterial{HmacSecret{}};
}

}  // namespace portail
