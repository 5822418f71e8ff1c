// docs/reference/contract.md, "Requests: PUT body". A refused body changes nothing.
#include <vector>

#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

constexpr std::string_view good_body = R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel"})";
constexpr std::size_t max_bytes = 64 * 1024;

// Mail object 23, which only these cases change, sequentially.
class PutBody : public testing::Test {
 protected:
  PutBody() : path_(fill("/api/app/objet-courrier/$23")), admin_(token(fill("$RUN-admin"))) {}

  void SetUp() override {
    ASSERT_EQ(put(path_, R"({"utilisablePourLiasse":false,"typeAffectation":"Rien"})").bearer(admin_).send().status,
              200);
  }

  Reply update(std::string_view body) const { return put(path_, body).bearer(admin_).send(); }
  Reply update_as(std::string_view body, std::string_view content_type) const {
    return Request("PUT", path_).body(body, content_type).bearer(admin_).send();
  }

  std::string object(std::string_view used, std::string_view assignment) const {
    return fill(R"({"id":$23,"typeObjet":"$RUN~23","description":"Objet 23","utilisablePourLiasse":)" +
                std::string(used) + R"(,"typeAffectation":")" + std::string(assignment) + R"(","lienFichier":null})");
  }
  void expect_unchanged() const { EXPECT_EQ(get(path_).bearer(admin_).send().body, object("false", "Rien")); }
  // Expects success, and restores the initial state.
  void expect_accepted(const Reply& reply) {
    expect_json(reply, object("true", "Optionnel"));
    EXPECT_EQ(get(path_).bearer(admin_).send().body, object("true", "Optionnel"));
    SetUp();
  }

  std::string path_;
  std::string admin_;
};

// A valid body of exactly this size.
std::string padded(std::size_t size) {
  const std::string head = std::string(good_body.substr(0, good_body.size() - 1)) + R"(,"x":")";
  return head + std::string(size - head.size() - 2, 'x') + "\"}";
}

TEST_F(PutBody, AtMost64KiB) {
  checks("Requests: PUT body, 64 KiB");
  expect_accepted(update(padded(max_bytes)));
  expect_accepted(Request("PUT", path_).chunked(padded(max_bytes)).bearer(admin_).send());
  expect_accepted(
      Request("PUT", path_).header("Expect", "100-continue").chunked(padded(max_bytes)).bearer(admin_).send());
  expect_error(update(padded(max_bytes + 1)), 413);
  expect_error(Request("PUT", path_).chunked(padded(max_bytes + 1)).bearer(admin_).send(), 413);
  expect_unchanged();
}

// The client waits for a 100 before it sends its body, and gets the final answer instead.
TEST_F(PutBody, TooLongALengthIsRefusedBeforeTheBody) {
  checks("Requests: PUT body, 64 KiB");
  std::vector<const char*> lengths{"65537", "10000000", "999999999999999999"};
  if (!environment().host_parses_http) lengths.push_back("10000000000000000000");
  for (const char* length : lengths) {
    SCOPED_TRACE(length);
    const auto announced = [&](std::string_view type) {
      Connection connection(environment().base);
      connection.send(Request("PUT", path_)
                          .header("Content-Type", type)
                          .header("Content-Length", length)
                          .header("Expect", "100-continue")
                          .bearer(admin_)
                          .bytes(environment().base));
      Reply reply = connection.receive();
      EXPECT_TRUE(environment().host_parses_http || !reply.follows_continue);
      return reply;
    };
    expect_error(announced("application/json"), 413);
    expect_error(announced("text/plain"), 415);
  }
  expect_unchanged();
}

TEST_F(PutBody, MediaType) {
  checks("Requests: PUT body, media type");
  for (const char* type : {"application/json", "text/json", "application/merge-patch+json", "Application/JSON",
                           "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"",
                           "application/vnd.portail.v1+json ; charset=Utf-8", "application/json; charset=utf8",
                           "application/json;charset=\"UTF8\"", "application/json;"}) {
    SCOPED_TRACE(type);
    expect_accepted(update_as(good_body, type));
  }
  for (const char* type : {"text/plain", "application/xml", "application/jsonx", "application/x-www-form-urlencoded",
                           "text/vnd.portail+json", "application/json; charset=iso-8859-1",
                           "application/json; charset=utf-16", "json", "*/*", ""}) {
    SCOPED_TRACE(type);
    expect_error(update_as(good_body, type), 415);
  }
  expect_error(put(path_, good_body).without("Content-Type").bearer(admin_).send(), 415);
  expect_unchanged();
}

TEST_F(PutBody, NoContentCoding) {
  checks("Requests: PUT body, media type");
  for (const char* coding : {"gzip", "br", "zstd", "deflate", "x-gzip", "gzip, identity", "identity, gzip"}) {
    SCOPED_TRACE(coding);
    expect_error(put(path_, good_body).header("Content-Encoding", coding).bearer(admin_).send(), 415);
    // Before the body is parsed.
    expect_error(put(path_, "x").header("Content-Encoding", coding).bearer(admin_).send(), 415);
  }
  expect_error(put(path_, std::string(max_bytes + 1, 'x')).header("Content-Encoding", "gzip").bearer(admin_).send(),
               415);
  expect_unchanged();
  expect_accepted(put(path_, good_body).header("Content-Encoding", "Identity").bearer(admin_).send());
}

TEST_F(PutBody, NamesWithoutRegardToCase) {
  checks("Requests: PUT body, names without regard to case");
  expect_accepted(update(R"({"UtilisablePourLiasse":true,"TypeAffectation":"Optionnel"})"));
  expect_accepted(update(R"({"TYPEAFFECTATION":"Optionnel","utilisablepourliasse":true})"));
  expect_accepted(update(R"({"utilisable\u0050ourLiasse":true,"typeAffectation":"Optionne\u006c"})"));
}

TEST_F(PutBody, BothFieldsRequired) {
  checks("Requests: PUT body, both fields required");
  expect_validation_error(update(R"({"typeAffectation":"Optionnel"})"), {"utilisablePourLiasse"});
  expect_validation_error(update(R"({"utilisablePourLiasse":true})"), {"typeAffectation"});
  expect_validation_error(update("{}"), {"utilisablePourLiasse", "typeAffectation"});
  expect_unchanged();
}

TEST_F(PutBody, OtherMembersAreIgnored) {
  checks("Requests: PUT body, other members ignored");
  expect_accepted(
      update(R"({"id":1,"typeObjet":"X","description":"autre","lienFichier":"/x","utilisablePourLiasse":true,)"
             R"("typeAffectation":"Optionnel","x":[1,{"y":null}],"x":2})"));
  expect_accepted(update(" \t\r\n" + std::string(good_body) + "\n"));
  for (const std::size_t digits : {20U, 308U, 309U, 5000U}) {
    expect_accepted(update(R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel","x":[-)" +
                           std::string(digits, '9') + "]}"));
  }
}

TEST_F(PutBody, DuplicatesOfEitherField) {
  checks("Requests: PUT body, duplicates");
  expect_validation_error(
      update(R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel","typeAffectation":"Optionnel"})"),
      {"typeAffectation"});
  expect_validation_error(
      update(R"({"utilisablePourLiasse":true,"UTILISABLEPOURLIASSE":true,"typeAffectation":"Optionnel"})"),
      {"utilisablePourLiasse"});
  expect_validation_error(
      update(R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel","typeAffectatio\u006e":"Rien"})"),
      {"typeAffectation"});
  expect_unchanged();
}

TEST_F(PutBody, TypesAndValues) {
  checks("Requests: PUT body, types and values");
  for (const char* value : {R"("true")", "1", "0", "null", "[true]", "{}"})
    expect_validation_error(
        update(R"({"utilisablePourLiasse":)" + std::string(value) + R"(,"typeAffectation":"Rien"})"),
        {"utilisablePourLiasse"});
  for (const char* value : {R"("optionnel")", R"("OPTIONNEL")", R"("")", R"("Optionnel ")", R"("Autre")", "1", "null",
                            "true", R"(["Rien"])"})
    expect_validation_error(update(R"({"utilisablePourLiasse":true,"typeAffectation":)" + std::string(value) + "}"),
                            {"typeAffectation"});
  expect_validation_error(update(R"({"utilisablePourLiasse":0,"typeAffectation":0})"),
                          {"utilisablePourLiasse", "typeAffectation"});
  for (const char* body : {"[]", "null", "true", "1", R"("utilisablePourLiasse")",
                           R"([{"utilisablePourLiasse":true,"typeAffectation":"Optionnel"}])"}) {
    SCOPED_TRACE(body);
    expect_any_validation_error(update(body));
  }
  expect_unchanged();
}

TEST_F(PutBody, MalformedJson) {
  checks("Requests: PUT body, malformed JSON");
  checks("Errors: malformed JSON");
  const std::string head = R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel")";
  for (const std::string& body : {std::string(),
                                  std::string(" "),
                                  std::string("{"),
                                  head,
                                  head + ",}",
                                  head + "}}",
                                  head + "} x",
                                  head + R"(,"x":truE})",
                                  head + R"(,"x":01})",
                                  head + R"(,"x":[1,,2 3]})",
                                  head + R"(,"x":NaN})",
                                  head + R"(,"x":1.})",
                                  head + R"(,"x":"\x"})",
                                  head + R"(,"x":"\u12"})",
                                  head + R"(,'x':1})",
                                  head + "/**/}",
                                  head + "}" + head + "}",
                                  head + ",\"x\":\"a\tb\"}",
                                  head + R"(,"x"})",
                                  head + ",\"x\":\"a" + '\0' + "\"}"}) {
    SCOPED_TRACE(body);
    expect_validation_error(update(body), {""});
  }
  expect_unchanged();
}

TEST_F(PutBody, Encoding) {
  checks("Requests: PUT body, byte order mark, UTF-8, surrogates");
  const std::string head = R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel","x":")";
  expect_accepted(update(head + "é\\u00e9\\ud83d\\ude00\"}"));
  expect_any_validation_error(update("\xef\xbb\xbf" + std::string(good_body)));
  for (const char* bytes : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\\ud800", "\\udc00",
                            "\\ud800\\u0041", "\\ude00\\ud83d"}) {
    SCOPED_TRACE(bytes);
    expect_any_validation_error(update(head + bytes + "\"}"));
  }
  expect_any_validation_error(update(R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel","\ud800":1})"));
  expect_unchanged();
}

TEST_F(PutBody, Depth) {
  checks("Requests: PUT body, depth");
  // The object itself is the first level.
  const auto nested = [](std::size_t arrays) {
    return R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel","x":)" + std::string(arrays, '[') +
           std::string(arrays, ']') + "}";
  };
  expect_accepted(update(nested(63)));
  expect_any_validation_error(update(nested(64)));
  expect_any_validation_error(update(nested(20'000)));
  expect_unchanged();
}

}  // namespace
}  // namespace portail::contract
