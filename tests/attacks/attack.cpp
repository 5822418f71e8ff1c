#include "tests/attacks/attack.hpp"

#include <array>
#include <cstddef>

#include "core/api/service.hpp"
#include "core/auth/base64url.hpp"
#include "core/crypto/sign.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"

namespace portail {
namespace {

// The seed and the secret of test_key_set(); the valid requests of each family prove that they are the right ones.
Ed25519Seed seed() {
  Ed25519Seed bytes;
  bytes.fill(std::byte{0x42});
  return bytes;
}

std::string_view description_of(std::string_view challenge) {
  constexpr std::string_view begin = R"(Bearer error="invalid_token", error_description=")";
  if (!challenge.starts_with(begin) || !challenge.ends_with('"')) return {};
  return challenge.substr(begin.size(), challenge.size() - begin.size() - 1);
}

}  // namespace

Attack with_token(std::string_view name, const std::string& token, std::string_view answer) {
  return {.name = name, .headers = {{"Authorization", "Bearer " + token}}, .answer = answer};
}

std::string verdict_on(const Attack& attack) {
  TestContext test;
  MemoryStore store;
  Settings settings;
  settings.tokens = test_token_settings();
  settings.tokens.tenant = attack.tenant;
  settings.tokens.subject_claim = attack.subject_claim;
  const Service service(settings, test_key_set(), store);
  TestRequest request("GET", attack.target);
  for (const auto& [name, value] : attack.headers) request.header(name, value);
  const auto answered = run_ready(serve(test.context, service, request.view()));
  if (!answered) return "no answer";
  const Answer& answer = *answered;
  if (answer.status == 200) return std::string(accepted);
  const std::string_view challenge = answer.header("WWW-Authenticate").value_or("");
  if (answer.status == 401 && challenge == "Bearer") return std::string(anonymous);
  if (answer.status == 401 && !description_of(challenge).empty()) return std::string(description_of(challenge));
  return "status " + std::to_string(answer.status) + ", challenge " + std::string(challenge);
}

std::string claims_and(std::string_view members) {
  std::string claims = good_claims();
  claims.insert(claims.size() - 1, members);
  return claims;
}

std::string claims_with(std::string_view name, std::string_view json) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> good{{
      {"iss", R"("https://issuer.test")"},
      {"aud", R"("portail-test")"},
      {"exp", "1768482000"},
      {"sub", R"("sub-client")"},
  }};
  std::string claims = "{";
  const auto add = [&claims](std::string_view member, std::string_view value) {
    if (value.empty()) return;
    if (claims.size() > 1) claims += ',';
    claims.append("\"").append(member).append("\":").append(value);
  };
  bool replaced = false;
  for (const auto& [member, value] : good) {
    add(member, member == name ? json : value);
    replaced = replaced || member == name;
  }
  if (!replaced) add(name, json);
  return claims + "}";
}

std::string good_claims() { return claims_with("", ""); }

std::string eddsa_over(std::string_view encoded_header, std::string_view encoded_claims) {
  std::string token(encoded_header);
  token.append(".").append(encoded_claims);
  const Ed25519Signature signature = sign_eddsa(seed(), token);
  return token + '.' + base64url_encode(std::span<const std::byte>(signature));
}

std::string eddsa_token(std::string_view header, std::string_view claims) {
  return eddsa_over(base64url_encode(header), base64url_encode(claims));
}

std::string eddsa_token(std::string_view header) { return eddsa_token(header, good_claims()); }

std::string good_token() { return eddsa_token(good_header); }

std::string hs256_token(std::string_view secret, std::string_view header) {
  const std::string token = base64url_encode(header) + '.' + base64url_encode(good_claims());
  const auto bytes = std::as_bytes(std::span(secret));
  const Hash32 signature = sign_hs256(HmacSecret{{bytes.begin(), bytes.end()}}, token);
  return token + '.' + base64url_encode(std::span<const std::byte>(signature));
}

std::string public_key_bytes() {
  const Ed25519PublicKey key = public_key_of(seed());
  return {reinterpret_cast<const char*>(key.point.data()), key.point.size()};
}

std::string hmac_secret_bytes() { return std::string(32, '\x24'); }

}  // namespace portail
