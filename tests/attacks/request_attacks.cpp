// The position of the token in the request (RFC 6750 section 2, of which only 2.1 is accepted; RFC 9110
// section 11.6.2).
#include "tests/attacks/attack.hpp"

namespace portail {
namespace {

Attack with_header(std::string_view name, std::string_view header, const std::string& value, std::string_view answer) {
  return {.name = name, .headers = {{std::string(header), value}}, .answer = answer};
}

Attack with_authorization(std::string_view name, const std::string& value, std::string_view answer) {
  return with_header(name, "Authorization", value, answer);
}

Attack with_two(std::string_view name, const std::string& first, const std::string& second) {
  return {
      .name = name, .headers = {{"Authorization", first}, {"authorization", second}}, .answer = refusal::two_headers};
}

}  // namespace

std::vector<Attack> request_attacks() {
  const std::string token = good_token();
  const std::string bearer = "Bearer " + token;
  return {
      with_two("two headers, the same", bearer, bearer),
      with_two("two headers, a bad one first", "Bearer x", bearer),
      with_two("two headers, the second empty", bearer, ""),
      with_two("two headers, Basic and Bearer", "Basic dXNlcjpwYXNz", bearer),
      with_authorization("no scheme", token, anonymous),
      with_authorization("no token", "Bearer", anonymous),
      with_authorization("no value", "", anonymous),
      with_authorization("a space before the scheme", " " + bearer, anonymous),
      with_authorization("a tab after the scheme", "Bearer\t" + token, anonymous),
      with_authorization("a colon after the scheme", "Bearer: " + token, anonymous),
      with_authorization("an equals sign after the scheme", "Bearer=" + token, anonymous),
      with_authorization("Basic", "Basic " + token, anonymous),
      with_authorization("DPoP", "DPoP " + token, anonymous),
      with_authorization("Token", "Token " + token, anonymous),
      with_authorization("JWT", "JWT " + token, anonymous),
      with_authorization("a longer scheme", "Bearers " + token, anonymous),
      with_authorization("a wide letter in the scheme", "\uff22earer " + token, anonymous),
      with_authorization("Basic before Bearer, in a list", "Basic dXNlcjpwYXNz, " + bearer, anonymous),
      with_authorization("an empty token", "Bearer ", refusal::not_three_parts),
      with_authorization("two spaces and no token", "Bearer  ", refusal::not_three_parts),
      with_authorization("a space and a tab", "Bearer \t" + token, refusal::header_encoding),
      with_authorization("a space that is not ASCII", "Bearer \u00a0" + token, refusal::header_encoding),
      with_authorization("a space after the token", bearer + " ", refusal::signature_encoding),
      with_authorization("a tab after the token", bearer + "\t", refusal::signature_encoding),
      with_authorization("a comma after the token", bearer + ",", refusal::signature_encoding),
      with_authorization("a parameter after the token", bearer + R"(,realm="x")", refusal::signature_encoding),
      with_authorization("two tokens in a list", bearer + ", " + bearer, refusal::not_three_parts),
      with_authorization("the scheme twice", "Bearer Bearer " + token, refusal::header_encoding),
      with_authorization("quotes", "Bearer \"" + token + "\"", refusal::header_encoding),
      with_authorization("a parameter", "Bearer token=" + token, refusal::header_encoding),
      with_authorization("angle brackets", "Bearer <" + token + ">", refusal::header_encoding),
      with_authorization("null", "Bearer null", refusal::not_three_parts),
      with_authorization("undefined", "Bearer undefined", refusal::not_three_parts),
      with_header("in a proxy's header", "Proxy-Authorization", bearer, anonymous),
      with_header("in a header of ones own", "X-Authorization", bearer, anonymous),
      with_header("in a forwarded header", "X-Forwarded-Access-Token", token, anonymous),
      with_header("in a cookie", "Cookie", "access_token=" + token + "; .AspNetCore.Bearer=" + token, anonymous),
      {.name = "in the query",
       .headers = {},
       .answer = anonymous,
       .target = "/api/app/liasse?access_token=" + token + "&token=" + token},
      {.name = "nowhere", .headers = {}, .answer = anonymous},
      with_authorization("in the header", bearer, accepted),
      with_authorization("two spaces", "Bearer  " + token, accepted),
      with_authorization("twenty spaces", "Bearer" + std::string(20, ' ') + token, accepted),
      with_authorization("the scheme in lower case", "bearer " + token, accepted),
      with_authorization("the scheme in upper case", "BEARER " + token, accepted),
      {.name = "in the header, and another in the query",
       .headers = {{"AUTHORIZATION", bearer}},
       .answer = accepted,
       .target = "/api/app/liasse?access_token=x"},
  };
}

}  // namespace portail
