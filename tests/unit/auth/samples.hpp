// Keys, settings and claims that the tests of tokens share. The keys are those of RFC 8037 (appendix A.1), RFC 7515
// (appendices A.1 and A.3) and RFC 7520 (section 3.4): public examples.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/auth/key_set.hpp"
#include "core/auth/token_settings.hpp"
#include "core/auth/token_signer.hpp"
#include "core/base/time.hpp"

namespace portail {

inline constexpr Instant sample_now{1'700'000'000'000'000};

inline constexpr std::string_view ed25519_jwk =
    R"({"kty":"OKP","crv":"Ed25519","kid":"ed-1","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",)"
    R"("x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})";
inline constexpr std::string_view other_ed25519_jwk =
    R"({"kty":"OKP","crv":"Ed25519","kid":"ed-2","d":"xaqN9D-fg3vtt0QvMdy3sWbThTUHbwlLhc46LgtEWPc",)"
    R"("x":"_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU"})";
inline constexpr std::string_view hmac_jwk =
    R"({"kty":"oct","kid":"hmac-1","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwj)"
    R"(AzZr1Z9CAow"})";

inline constexpr std::string_view ec_jwk =
    R"({"kty":"EC","crv":"P-256","kid":"ec-1","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
    R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"})";
inline constexpr std::string_view rsa_jwk =
    R"({"kty":"RSA","kid":"rsa-1","n":"n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhx)"
    R"(JWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oB)"
    R"(HqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_)"
    R"(vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw","e":"AQAB","d":"bWUC9B-E)"
    R"(FRIo8kpGfh0ZuyGPvMNKvYWNtB_ikiH9k20eT-O1q_I78eiZkpXxXQ0UTEs2LsNRS-8uJbvQ-A1irkwMSMkK1J3XTGgdrhCku9gR)"
    R"(ldY7sNA_AKZGh-Q661_42rINLRCe8W-nZ34ui_qOfkLnK9QWDDqpaIsA-bMwWWSDFu2MUBYwkHTMEzLYGqOe04noqeq1hExBTHBO)"
    R"(BdkMXiuFhUq1BU6l-DqEiWxqg82sXt2h-LMnT3046AOYJoRioz75tSUQfGCshWTBnP5uDjd18kKhyv07lhfSJdrPdM5Plyl21hsF)"
    R"(f4L_mHCuoFau7gdsPfHPxxjVOcOpBrQzwQ","p":"3Slxg_DwTXJcb6095RoXygQCAZ5RnAvZlno1yhHtnUex_fp7AZ_9nRaO7HX)"
    R"(_-SFfGQeutao2TDjDAWU4Vupk8rw9JR0AzZ0N2fvuIAmr_WCsmGpeNqQnev1T7IyEsnh8UMt-n5CafhkikzhEsrmndH6LxOrvRJl)"
    R"(sPp6Zv8bUq0k","q":"uKE2dh-cTf6ERF4k4e_jy78GfPYUIaUyoSSJuBzp3Cubk3OCqs6grT8bR_cu0Dm1MZwWmtdqDyI95HrUe)"
    R"(q3MP15vMMON8lHTeZu2lmKvwqW7anV5UzhM1iZ7z4yMkuUwFWoBvyY898EXvRD-hdqRxHlSqAZ192zB3pVFJ0s7pFc","dp":"B8)"
    R"(PVvXkvJrj2L-GYQ7v3y9r6Kw5g9SahXBwsWUzp19TVlgI-YV85q1NIb1rxQtD-IsXXR3-TanevuRPRt5OBOdiMGQp8pbt26gljYf)"
    R"(KU_E9xn-RULHz0-ed9E9gXLKD4VGngpz-PfQ_q29pk5xWHoJp009Qf1HvChixRX59ehik","dq":"CLDmDGduhylc9o7r84rEUVn)"
    R"(7pzQ6PF83Y-iBZx5NT-TpnOZKF1pErAMVeKzFEl41DlHHqqBLSM0W1sOFbwTxYWZDm6sI6og5iTbwQGIC3gnJKbi_7k_vJgGHwHx)"
    R"(gPaX2PnvP-zyEkDERuf-ry4c_Z11Cq9AqC2yeL6kdKT1cYF8","qi":"3PiqvXQN0zwMeE-sBvZgi289XP9XCQF3VWqPzMKnIgQp)"
    R"(7_Tugo6-NZBKCQsMf3HaEGBjTVJs_jcK8-TRXvaKe-7ZMaQj8VfBdYkssbu0NKDDhjJ-GtiseaDVWt7dcH0cfwxgFUHpQh7FoCrj)"
    R"(FJ6h6ZEpMF6xmujs4qMpPz8aaI4"})";

inline LoadedKeySet load_keys(std::initializer_list<std::string_view> jwks) {
  std::string set = R"({"keys":[)";
  for (const std::string_view jwk : jwks) {
    if (set.back() == '}') set += ',';
    set += jwk;
  }
  auto loaded = load_key_set(set + "]}");
  EXPECT_TRUE(loaded.has_value()) << loaded.error();
  return std::move(*loaded);
}

inline SigningKey signing_key(std::string_view jwk) {
  auto key = load_signing_key(jwk);
  EXPECT_TRUE(key.has_value()) << key.error();
  return std::move(*key);
}

inline TokenSettings sample_settings() {
  TokenSettings settings;
  settings.issuer = "https://issuer.test";
  settings.audiences = {"portail", "api://portail"};
  return settings;
}

// The claims of a good access token for `sub-client-1`, with some of them changed: each change is a name and its JSON
// text, empty: without the claim.
inline std::string sample_claims(std::initializer_list<std::pair<std::string_view, std::string_view>> changes = {}) {
  std::vector<std::pair<std::string_view, std::string_view>> claims{{"iss", R"("https://issuer.test")"},
                                                                    {"aud", R"("portail")"},
                                                                    {"exp", "1700000300"},
                                                                    {"sub", R"("sub-client-1")"}};
  for (const auto& [name, value] : changes) {
    std::erase_if(claims, [&name](const auto& claim) { return claim.first == name; });
    if (!value.empty()) claims.emplace_back(name, value);
  }
  std::string text = "{";
  for (const auto& [name, value] : claims) {
    if (text.size() > 1) text += ',';
    text += '"';
    text += name;
    text += "\":";
    text += value;
  }
  return text + "}";
}

}  // namespace portail
