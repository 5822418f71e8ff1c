#include "core/auth/algorithms.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "core/auth/jwk.hpp"
#include "core/crypto/signatures.hpp"

namespace portail {
namespace {

// Builds the row of an algorithm from the two functions of its kind of key. The kinds must match, or the row does not
// compile.
template <auto read, auto verify>
consteval Algorithm row(std::string_view name, std::string_view kty, std::string_view crv = {}) {
  using Key = std::invoke_result_t<decltype(read), JsonObject>::value_type;
  return {.name = name,
          .kty = kty,
          .crv = crv,
          .read_material = [](JsonObject jwk) -> std::expected<KeyMaterial, std::string_view> { return read(jwk); },
          .verify =
              [](const KeyMaterial& material, std::string_view message, std::span<const std::byte> signature) {
                const auto* key = std::get_if<Key>(&material);
                return key && verify(*key, message, signature);
              }};
}

constexpr std::array rows{
    row<read_ed25519_key, verify_eddsa>("EdDSA", "OKP", "Ed25519"),
    row<read_p256_key, verify_es256>("ES256", "EC", "P-256"),
    row<read_rsa_key, verify_rs256>("RS256", "RSA"),
    row<read_rsa_key, verify_ps256>("PS256", "RSA"),
    row<read_hmac_secret, verify_hs256>("HS256", "oct"),
};

static_assert(std::ranges::all_of(rows, [](const Algorithm& row) {
  return std::ranges::count(rows, row.name, &Algorithm::name) == 1 && unknown_key_type.contains(row.kty);
}));

}  // namespace

std::span<const Algorithm> algorithms() { return rows; }

const Algorithm* algorithm_named(std::string_view name) {
  if (name == "Ed25519") name = "EdDSA";  // of one curve here, so both names mean the same (RFC 9864 section 2.2)
  const auto found = std::ranges::find(algorithms(), name, &Algorithm::name);
  return found == algorithms().end() ? nullptr : &*found;
}

}  // namespace portail
