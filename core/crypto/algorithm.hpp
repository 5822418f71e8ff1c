// The signature algorithms of tokens (docs/contract.md, "Tokens: form"; RFC 7518, RFC 8037). Plain values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace portail {

enum class Algorithm : std::uint8_t { eddsa, es256, rs256, ps256, hs256 };

// Its name in JOSE: "EdDSA", "ES256", …
[[nodiscard]] std::string_view name_of(Algorithm algorithm);
// The algorithm of exactly that name; nullopt for "none" and all others.
[[nodiscard]] std::optional<Algorithm> algorithm_named(std::string_view name);

}  // namespace portail
