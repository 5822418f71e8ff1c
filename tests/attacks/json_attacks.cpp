// JSON that two readers could understand differently, or that costs its reader much (RFC 8725 section 2.4 and 3.7,
// RFC 7515 section 4: names are unique).
#include "core/auth/base64url.hpp"
#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

Attack with_claims(std::string_view name, std::string_view claims, std::string_view answer = refusal::claims_json) {
  return with_token(name, eddsa_token(good_header, claims), answer);
}
Attack with_members(std::string_view name, std::string_view members, std::string_view answer = refusal::claims_json) {
  return with_claims(name, claims_and(members), answer);
}
Attack with_header(std::string_view name, std::string_view header, std::string_view answer = refusal::header_json) {
  return with_token(name, eddsa_token(header), answer);
}

std::string times(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

std::vector<Attack> duplicate_name_attacks() {
  return {
      with_header("alg twice", R"({"alg":"none","alg":"EdDSA","kid":"test-eddsa"})"),
      with_header("alg twice, the good one first", R"({"alg":"EdDSA","alg":"none","kid":"test-eddsa"})"),
      with_header("alg once with escapes", R"({"alg":"EdDSA","al\u0067":"none","kid":"test-eddsa"})"),
      with_header("alg twice with escapes", R"({"\u0061lg":"EdDSA","a\u006cg":"EdDSA","kid":"test-eddsa"})"),
      with_header("kid twice", R"({"alg":"EdDSA","kid":"test-hs256","kid":"test-eddsa"})"),
      with_header("kid once with escapes", R"({"alg":"EdDSA","kid":"test-eddsa","k\u0069d":"x"})"),
      with_header("crit twice", R"({"alg":"EdDSA","kid":"test-eddsa","crit":[],"crit":[]})"),
      with_header("a name twice deep in the header",
                  R"({"alg":"EdDSA","kid":"test-eddsa","jwk":{"kty":"OKP","kty":"oct"}})"),
      with_members("sub twice", R"(,"sub":"sub-other")"),
      with_members("sub twice, the same", R"(,"sub":"sub-client")"),
      with_members("sub once with escapes", R"(,"s\u0075b":"sub-other")"),
      with_members("sub once with an escaped capital's case", R"(,"\u0073ub":"sub-other")"),
      with_members("exp twice", R"(,"exp":99999999999)"),
      with_members("exp once with escapes", R"(,"e\u0078p":99999999999)"),
      with_members("aud twice", R"(,"aud":"other")"),
      with_members("iss twice", R"(,"iss":"https://evil.test")"),
      with_members("iss once with escapes", R"(,"is\u0073":"https://evil.test")"),
      with_members("permissions twice", R"(,"permissions":[],"permissions":["PortailClients.Dashboard.Host"])"),
      with_members("roles twice", R"(,"roles":["a"],"rol\u0065s":["gestionnaire"])"),
      with_members("a name twice deep in the claims", R"(,"realm_access":{"roles":[],"roles":["gestionnaire"]})"),
      with_members("a name twice in an object of an array", R"(,"x":[[{"a":1,"\u0061":2}]])"),
      with_members("an empty name twice", R"(,"":1,"":2)"),
      with_members("a name with an escaped slash twice", R"(,"a/b":1,"a\/b":2)"),
      with_members("a name beyond the BMP twice", R"(,"😀":1,"\ud83d\ude00":2)"),
      with_members("names that differ in case", R"(,"SUB":"sub-other","Exp":1)", accepted),
      with_members("the same name in two objects", R"(,"x":{"a":1},"y":{"a":2})", accepted),
      with_members("names that only look the same", ",\"x\":{\"\xc3\xa9\":1,\"e\xcc\x81\":2}", accepted),
  };
}

std::vector<Attack> json_attacks() {
  const std::string claims = good_claims();
  const std::string open = claims.substr(0, claims.size() - 1);
  return {
      with_claims("an array of the claims", "[" + claims + "]"),
      with_claims("the claims twice", claims + claims),
      with_claims("the claims and a comma", claims + ","),
      with_claims("the claims and a letter", claims + "x"),
      with_claims("the claims and a NUL", claims + '\0'),
      with_claims("the claims and a brace", claims + "}"),
      with_claims("the claims cut", open),
      with_claims("a comma before the end", open + ",}"),
      with_claims("a comma too many", open + R"(,,"x":1})"),
      with_claims("a comment", open + "/* */}"),
      with_claims("a line comment", open + "//\n}"),
      with_claims("a name without quotes", open + ",x:1}"),
      with_claims("single quotes", open + ",'x':1}"),
      with_claims("a colon missing", open + R"(,"x" 1})"),
      with_claims("truE", open + R"(,"x":truE})"),
      with_claims("undefined", open + R"(,"x":undefined})"),
      with_claims("a raw line end in a string", open + ",\"x\":\"a\nb\"}"),
      with_claims("a raw NUL in a string", open + ",\"x\":\"a" + std::string(1, '\0') + "b\"}"),
      with_claims("a bad escape", open + R"(,"x":"\x41"})"),
      with_claims("an escape cut short", open + R"(,"x":"\u00"})"),
      with_claims("null", "null"),
      with_claims("a string", R"("sub-client")"),
      with_claims("a number", "1"),
      with_claims("spaces only", "   "),
      with_claims("a vertical tab around", "\v" + claims),
      with_claims("a no-break space around", "\u00a0" + claims),
      with_header("the header in an array", "[" + std::string(good_header) + "]"),
      with_header("the header twice", std::string(good_header) + std::string(good_header)),
      with_header("the header and a letter", std::string(good_header) + "x"),
      with_header("the header is null", "null"),
      with_header("an empty header object", "{}", refusal::algorithm),
      with_claims("an empty claims object", "{}", refusal::issuer),
      with_claims("white space of JSON", " \t\r\n" + claims + "\n", accepted),
      with_header("white space of JSON in the header", " {\"alg\":\n\"EdDSA\"} ", accepted),
  };
}

std::vector<Attack> size_attacks() {
  const auto arrays = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  const auto objects = [](std::size_t depth) { return times(R"({"a":)", depth) + "1" + std::string(depth, '}'); };
  const auto member = [](const std::string& value) { return R"(,"x":)" + value; };
  const auto deep_header = [](const std::string& value) {
    return R"({"alg":"EdDSA","kid":"test-eddsa","x":)" + value + "}";
  };
  const auto of_size = [](std::size_t filler) {
    return eddsa_token(good_header, claims_and(R"(,"x":")" + std::string(filler, 'x') + "\""));
  };
  std::size_t max_valid_size = 5000;
  while (of_size(max_valid_size + 1).size() <= 8000) ++max_valid_size;
  return {
      with_members("arrays one too deep", member(arrays(16))),
      with_members("objects one too deep", member(objects(16))),
      with_members("arrays a thousand deep", member(arrays(1000))),
      with_members("objects nine hundred deep", member(objects(900))),
      with_members("arrays never closed", member(std::string(5000, '['))),
      with_header("a header one too deep", deep_header(arrays(16))),
      with_header("a header a thousand deep", deep_header(arrays(1000))),
      with_header("a header never closed", std::string(5000, '[')),
      with_token("a byte too long", of_size(max_valid_size + 1), refusal::too_long),
      with_token("a hundred thousand bytes", of_size(75'000), refusal::too_long),
      with_token("eight thousand and one dots", std::string(8001, '.'), refusal::too_long),
      with_token("a million letters", std::string(1'000'000, 'A'), refusal::too_long),
      with_token("a long header, no more", base64url_encode(R"({"alg":"EdDSA","x":")" + std::string(5000, 'x') + "\"}"),
                 refusal::not_three_parts),
      with_members("arrays as deep as they may be", member(arrays(15)), accepted),
      with_members("a number of five thousand digits", member(std::string(5000, '1')), accepted),
      with_header("a header as deep as it may be", deep_header(arrays(15)), accepted),
      with_members(
          "five hundred members",
          [] {
            std::string members;
            for (int i = 0; i < 500; ++i) members += ",\"" + std::to_string(i) + "\":1";
            return members;
          }(),
          accepted),
      with_token("as long as it may be", of_size(max_valid_size), accepted),
  };
}

}  // namespace portail
