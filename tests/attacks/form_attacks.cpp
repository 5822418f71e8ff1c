// The compact form and its base64url (RFC 7515 sections 2, 3.1 and 7.2, RFC 7516 section 3.1).
#include "core/auth/base64url.hpp"
#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

std::string head() { return base64url_encode(good_header); }
std::string body() { return base64url_encode(good_claims()); }

// Claims whose encoding has both odd letters, and two digits in its last group.
std::string odd_claims() {
  std::string filler = "~~~???";
  const auto encoded = [&filler] { return base64url_encode(claims_and(R"(,"x":")" + filler + "\"")); };
  while (encoded().size() % 4 != 2 || !encoded().contains('-') || !encoded().contains('_')) filler += "~?";
  return encoded();
}

// UTF-16 of ASCII.
std::string utf16(std::string_view text, bool big_endian) {
  std::string wide;
  for (const char c : text) {
    if (big_endian) wide += '\0';
    wide += c;
    if (!big_endian) wide += '\0';
  }
  return wide;
}

}  // namespace

std::vector<Attack> form_attacks() {
  using namespace refusal;
  const std::string token = good_token();
  const std::string last = token.substr(token.rfind('.') + 1);
  const auto json = [&](std::string_view signatures) {
    return R"({"payload":")" + body() + "\"," + std::string(signatures) + "}";
  };
  return {
      with_token("one part", "eyJhbGciOiJFZERTQSJ9", not_three_parts),
      with_token("two parts", head() + '.' + body(), not_three_parts),
      with_token("four parts", token + ".", not_three_parts),
      with_token("a part before", '.' + token, not_three_parts),
      with_token("five parts: a JWE", head() + ".." + body() + "." + body() + "." + last, not_three_parts),
      with_token("five parts: a JWE around the token",
                 base64url_encode(R"({"alg":"dir","enc":"A256GCM"})") + ".." + base64url_encode(std::string(12, 'i')) +
                     '.' + base64url_encode(token) + '.' + base64url_encode(std::string(16, 't')),
                 not_three_parts),
      with_token("two tokens with a dot between", token + '.' + token, not_three_parts),
      with_token("only dots", "..", header_json),
      with_token("many dots", std::string(1000, '.'), not_three_parts),
      with_token("the general JSON serialisation",
                 json(R"("signatures":[{"protected":")" + head() + R"(","signature":")" + last + "\"}]"),
                 not_three_parts),
      with_token("the flattened JSON serialisation",
                 json(R"("protected":")" + head() + R"(","signature":")" + last + "\""), not_three_parts),
      with_token("JSON with an unprotected header", json(R"("header":{"alg":"none"},"signature":"")"), not_three_parts),
      with_token("no header", '.' + body() + '.' + last, header_json),
      with_token("no claims", head() + ".." + last, signature),
      with_token("the parts in another order", body() + '.' + head() + '.' + last, algorithm),
      with_token("a token in a token", eddsa_token(R"({"alg":"EdDSA","kid":"test-eddsa","cty":"JWT"})", token),
                 claims_json),
      with_token("a SAML assertion", base64url_encode("<saml:Assertion/>"), not_three_parts),
      with_token("a Fernet token", "gAAAAABh", not_three_parts),
      with_token("a PASETO", "v2.public." + body(), header_encoding),
      with_token("the compact form", token, accepted),
  };
}

std::vector<Attack> encoding_attacks() {
  using namespace refusal;
  const std::string token = good_token();
  const std::string odd = odd_claims();
  std::string plus = odd;
  for (char& c : plus) c = c == '-' ? '+' : c == '_' ? '/' : c;
  std::string spare = odd;
  ++spare.back();
  std::string spare_signature = token;
  ++spare_signature.back();
  const auto over_claims = [](const std::string& encoded) { return eddsa_over(head(), encoded); };
  const auto over_header = [](const std::string& encoded) { return eddsa_over(encoded, body()); };
  const auto header_text = [](std::string_view text) { return eddsa_token(text); };
  const auto claims_text = [](std::string_view text) { return eddsa_token(good_header, text); };
  const std::string claims = good_claims();
  return {
      with_token("padding after the header", over_header(head() + "="), header_encoding),
      with_token("padding after the claims", over_claims(odd + "=="), claims_encoding),
      with_token("padding after the signature", token + "==", signature_encoding),
      with_token("the other alphabet", over_claims(plus), claims_encoding),
      with_token("spare bits in the claims", over_claims(spare), claims_encoding),
      with_token("spare bits in the signature", spare_signature, signature_encoding),
      with_token("a single digit too many", over_claims(odd + "AAA"), claims_encoding),
      with_token("a line end in the claims", over_claims(odd.substr(0, 20) + "\n" + odd.substr(20)), claims_encoding),
      with_token("a space in the claims", over_claims(odd.substr(0, 20) + " " + odd.substr(20)), claims_encoding),
      with_token("a tab in the header", over_header(head().insert(4, "\t")), header_encoding),
      with_token("a NUL in the claims", over_claims(odd.substr(0, 20) + std::string(1, '\0') + odd.substr(20)),
                 claims_encoding),
      with_token("percent-encoding", over_claims(odd.substr(0, 20) + "%41" + odd.substr(20)), claims_encoding),
      with_token("letters beyond ASCII", over_claims(odd.substr(0, 20) + "é" + odd.substr(20)), claims_encoding),
      with_token("the claims as plain JSON", over_claims(R"({"sub":"x"})"), claims_encoding),
      with_token("encoded twice", over_claims(base64url_encode(body())), claims_json),
      with_token("a byte order mark before the header", header_text("\xef\xbb\xbf" + std::string(good_header)),
                 header_json),
      with_token("a byte order mark before the claims", claims_text("\xef\xbb\xbf" + claims), claims_json),
      with_token("the header in UTF-16LE", header_text(utf16(good_header, false)), header_json),
      with_token("the header in UTF-16BE", header_text(utf16(good_header, true)), header_json),
      with_token("the claims in UTF-16LE", claims_text(utf16(claims, false)), claims_json),
      with_token("the claims in UTF-16 with a mark", claims_text("\xff\xfe" + utf16(claims, false)), claims_json),
      with_token("a byte that is no UTF-8", claims_text(claims_and(",\"x\":\"\xff\"")), claims_json),
      with_token("Latin-1", claims_text(claims_and(",\"x\":\"\xe9\"")), claims_json),
      with_token("a character cut short", claims_text(claims_and(",\"x\":\"\xc3\"")), claims_json),
      with_token("an overlong slash", claims_text(claims_and(",\"x\":\"\xc0\xaf\"")), claims_json),
      with_token("an overlong NUL", claims_text(claims_and(",\"x\":\"\xc0\x80\"")), claims_json),
      with_token("a surrogate in UTF-8", claims_text(claims_and(",\"x\":\"\xed\xa0\x80\"")), claims_json),
      with_token("beyond Unicode", claims_text(claims_and(",\"x\":\"\xf4\x90\x80\x80\"")), claims_json),
      with_token("a lone high surrogate", claims_text(claims_and(R"(,"x":"\ud800")")), claims_json),
      with_token("a lone low surrogate", claims_text(claims_and(R"(,"x":"\udc00")")), claims_json),
      with_token("surrogates in the wrong order", claims_text(claims_and(R"(,"x":"\udc00\ud800")")), claims_json),
      with_token("a lone surrogate in a name", claims_text(claims_and(R"(,"\ud800":1)")), claims_json),
      with_token("no UTF-8 in the header", header_text("{\"alg\":\"EdDSA\",\"kid\":\"test-eddsa\",\"x\":\"\xff\"}"),
                 header_json),
      with_token("odd letters of the right alphabet", over_claims(odd), accepted),
      with_token("UTF-8 and escapes", claims_text(claims_and(R"(,"x":"é😀\u00e9\ud83d\ude00")")), accepted),
  };
}

}  // namespace portail
