// docs/reference/contract.md, "Tokens": where, form, base64url, JSON, 401. Each token is valid except for the rule of
// its case; tests/attacks has more tokens for each rule.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

std::string subject() { return fill("$RUN-client"); }
std::string good() { return token(subject()); }
JsonObject claims() { return claims_of(subject()); }
JsonObject header() { return header_of(eddsa_key()); }

Reply present(std::string_view value) { return get("/api/app/liasse").bearer(value).send(); }
void expect_accepted(std::string_view value) { EXPECT_EQ(present(value).status, 200) << describe(present(value)); }

std::string with_header(const JsonObject& changed) { return token(eddsa_key(), changed.text(), claims().text()); }
std::string with_claims(std::string_view changed) { return token(eddsa_key(), header().text(), changed); }

// A valid token of exactly this many bytes.
std::string token_of_size(std::size_t size) {
  for (std::size_t extra = 0; extra < 4; ++extra) {
    const std::string head = header().set("x", json_string(std::string(extra, 'x'))).text();
    const std::size_t fixed = base64url(head).size() + 2 + 86 + base64url(claims().set("x", "\"\"").text()).size();
    for (std::size_t filler = (size - fixed) * 3 / 4 - 4; filler < (size - fixed) * 3 / 4 + 4; ++filler) {
      const std::string candidate =
          token(eddsa_key(), head, claims().set("x", json_string(std::string(filler, 'x'))).text());
      if (candidate.size() == size) return candidate;
    }
  }
  ADD_FAILURE() << "no token of " << size << " bytes";
  return {};
}

TEST(TokenWhere, OneBearerHeaderOnly) {
  checks("Tokens: where");
  const auto ask = [](std::string_view authorization) {
    return get("/api/app/liasse").header("Authorization", authorization).send();
  };
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER ", "bEaReR ", "Bearer  ", "bearer      "})
    EXPECT_EQ(ask(scheme + good()).status, 200) << scheme;
  for (const std::string& wrong :
       {good(), "Basic " + good(), "Token " + good(), std::string("Bearer"), std::string("Bearer "), "Bearer" + good(),
        "Bearer\t" + good(), "Bearer \t" + good(), "Bearer " + good() + " x", "Bearer " + good() + ", Bearer " + good(),
        "Bearer \"" + good() + "\"", std::string()})
    EXPECT_EQ(ask(wrong).status, 401) << wrong;
  EXPECT_EQ(get("/api/app/liasse").bearer(good()).bearer(good()).send().status, 401) << "two headers";
  EXPECT_EQ(get("/api/app/liasse").bearer(good()).header("authorization", "Basic eDp5").send().status, 401);
  EXPECT_EQ(get("/api/app/liasse?access_token=" + good()).send().status, 401);
  EXPECT_EQ(get("/api/app/liasse").header("Cookie", "access_token=" + good()).send().status, 401);
  EXPECT_EQ(get("/api/app/liasse").header("X-Authorization", "Bearer " + good()).send().status, 401);
}

TEST(TokenForm, CompactAndAtMost8000Bytes) {
  checks("Tokens: form, compact and at most 8,000 bytes");
  expect_accepted(good());
  expect_accepted(token_of_size(8000));
  expect_token_refused(present(token_of_size(8001)));
  const std::string parts = good();
  const std::size_t first = parts.find('.');
  const std::size_t second = parts.rfind('.');
  for (const std::string& wrong :
       {parts.substr(0, second), parts.substr(0, second + 1), parts + ".", "." + parts, std::string(".."),
        parts.substr(0, first + 1) + parts.substr(second), std::string("e30.e30.e30")}) {
    SCOPED_TRACE(wrong);
    expect_token_refused(present(wrong));
  }
  // The signature covers every byte.
  for (std::size_t index = 0; index < parts.size(); index += 7) {
    std::string changed = parts;
    if (changed[index] == '.') continue;
    changed[index] = changed[index] == 'A' ? 'B' : 'A';
    EXPECT_EQ(present(changed).status, 401) << "byte " << index << " changed";
  }
}

// One letter of the signature in the other case.
std::string recased(std::string token) {
  const auto letter = std::find_if(token.begin() + static_cast<std::ptrdiff_t>(token.rfind('.')), token.end(),
                                   [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  *letter = static_cast<char>(*letter ^ ('a' ^ 'A'));
  return token;
}

// A server that keeps the headers of a connection must not take such a token for the one before it.
TEST(TokenForm, TheCaseOfLettersCounts) {
  checks("Tokens: form, compact and at most 8,000 bytes");
  const std::string first = with_claims(claims().set("x", "1").text());
  expect_accepted(first);
  expect_token_refused(present(recased(first)));
  expect_accepted(first);
  const std::string second = with_claims(claims().set("x", "2").text());
  expect_token_refused(present(recased(second)));
  expect_accepted(second);
  expect_token_refused(present(recased(second)));
}

TEST(TokenBase64url, Strict) {
  checks("Tokens: base64url");
  const std::string head = base64url(header().text());
  // Claims whose encoding ends in a group of two, with four spare bits, and whose text needs both odd letters.
  std::string text;
  for (std::string filler = "~~~???";
       base64url(text).size() % 4 != 2 || base64url(text).find('-') == std::string::npos ||
       base64url(text).find('_') == std::string::npos;
       filler += "~?")
    text = claims().set("x", json_string(filler)).text();
  const std::string body = base64url(text);
  expect_accepted(signed_parts(eddsa_key(), head, body));

  expect_token_refused(present(signed_parts(eddsa_key(), head, body + "==")));
  std::string other_alphabet = body;
  for (char& c : other_alphabet) c = c == '-' ? '+' : c == '_' ? '/' : c;
  expect_token_refused(present(signed_parts(eddsa_key(), head, other_alphabet)));
  std::string spare_bits = body;  // the last letter of a two-letter group: A, Q, g or w
  ++spare_bits.back();
  expect_token_refused(present(signed_parts(eddsa_key(), head, spare_bits)));
  expect_token_refused(present(signed_parts(eddsa_key(), head, body + "A")));
  EXPECT_EQ(present(signed_parts(eddsa_key(), head, body.substr(0, 20) + " " + body.substr(20))).status, 401);
  EXPECT_EQ(present(signed_parts(eddsa_key(), head, body.substr(0, 20) + "\t" + body.substr(20))).status, 401);

  // The signature: 64 bytes end in a group of two.
  const std::string complete = signed_parts(eddsa_key(), head, body);
  std::string changed = complete;
  ++changed.back();
  expect_token_refused(present(changed));
  expect_token_refused(present(complete + "=="));
}

TEST(TokenJson, OneObjectEach) {
  checks("Tokens: JSON");
  const std::string text = claims().text();
  const std::string head = header().text();
  const auto signed_over = [](std::string_view header_text, std::string_view claims_text) {
    return present(token(eddsa_key(), header_text, claims_text));
  };
  EXPECT_EQ(signed_over(" " + head + "\n", "\t" + text + " ").status, 200) << "white space around is JSON";
  for (const std::string& wrong :
       {"[" + text + "]", text + text, text.substr(0, text.size() - 1), std::string("{}"), "\xef\xbb\xbf" + text}) {
    SCOPED_TRACE(wrong);
    expect_token_refused(signed_over(head, wrong));
  }
  for (const std::string& wrong : {"[" + head + "]", head + head, std::string("{}"), "\xef\xbb\xbf" + head}) {
    SCOPED_TRACE(wrong);
    expect_token_refused(signed_over(wrong, text));
  }
}

TEST(TokenJson, Utf8NamesAndDepth) {
  checks("Tokens: JSON");
  const auto with = [](std::string_view name, std::string_view value) {
    return with_claims(claims().set(name, value).text());
  };
  expect_accepted(with("x", "\"é😀\\u00e9\""));
  for (const char* bytes : {"\xff", "\xed\xa0\x80", "\\ud800"})
    expect_token_refused(present(with("x", json_string(bytes))));
  expect_token_refused(present(with_header(header().set("x", "\"\xff\""))));

  const std::string name = json_string(subject());
  expect_token_refused(present(with_claims(claims().add("sub", name).text())));
  expect_token_refused(present(with_claims(claims().add("su\\u0062", name).text())));
  expect_token_refused(present(with_claims(claims().add("x", "1").add("x", "1").text())));
  expect_token_refused(present(with("x", R"({"a":{"b":1,"\u0062":2}})")));
  expect_token_refused(present(with("x", R"([{"b":1,"b":2}])")));
  expect_accepted(with("x", R"([{"b":1},{"b":1},{"B":1}])"));
  expect_token_refused(present(with_header(header().add("alg", "\"EdDSA\""))));
  expect_token_refused(present(with_header(header().add("al\\u0067", "\"EdDSA\""))));

  const auto nested = [](std::size_t arrays) { return std::string(arrays, '[') + std::string(arrays, ']'); };
  expect_accepted(with("x", nested(15)));  // the claims object is the first level
  expect_token_refused(present(with("x", nested(16))));
  expect_token_refused(present(with_header(header().set("x", nested(16)))));
}

TEST(TokenRefused, TheChallenge) {
  checks("Tokens: 401");
  expect_anonymous_refused(get("/api/app/liasse").send());
  const std::string expired = token(claims().set("exp", std::to_string(now() - 7200)));
  const std::string other_audience = token(claims().set("aud", "\"other\""));
  const std::string forged =
      token(ed25519_key(eddsa_key().identifier, std::string(32, 'x')), header().text(), claims().text());
  const std::string of_expired = expect_token_refused(present(expired));
  const std::string of_audience = expect_token_refused(present(other_audience));
  const std::string of_forged = expect_token_refused(present(forged));
  EXPECT_NE(of_expired, of_audience) << "a description that helps";
  EXPECT_NE(of_expired, of_forged);
  EXPECT_NE(of_audience, of_forged);
  for (const std::string& each : {expired, other_audience, forged}) {
    const Reply reply = present(each);
    const std::string everything = describe(reply);
    EXPECT_EQ(everything.find(each.substr(each.rfind('.') + 1, 20)), std::string::npos) << "the signature";
    EXPECT_EQ(everything.find(base64url(eddsa_key().public_key)), std::string::npos) << "key material";
    EXPECT_EQ(everything.find(base64url(hs256_key().secret)), std::string::npos);
  }
}

}  // namespace
}  // namespace portail::contract
