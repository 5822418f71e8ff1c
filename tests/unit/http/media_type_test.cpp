#include <gtest/gtest.h>

#include "core/http/header_fields.hpp"
#include "tests/unit/http/header_request.hpp"

namespace portail {
namespace {

bool is_json(std::string_view value) { return has_json_content_type(HeaderRequest{{"content-type", value}}); }

TEST(ContentType, AcceptsJson) {
  for (const auto value :
       {"application/json", "Application/JSON", "text/json", "application/merge-patch+json", "application/vnd.a+json",
        "application/json;charset=utf-8", "application/json ; charset=\"UTF-8\"",
        "application/json; Charset=Utf-8; v=1", "application/json; v=\"a;b \\\"c\"; charset=utf-8", "application/json;",
        "text/json;;", "application/json; charset=\"utf\\-8\"", "application/json; charset=utf8",
        "application/json;charset=UTF8", "text/json; charset=\"utf8\"",
        "application/json; charset=utf-8; charset=utf8"}) {
    EXPECT_TRUE(is_json(value)) << value;
  }
}

TEST(ContentType, RefusesOtherTypes) {
  for (const auto value : {"", "json", "text/plain", "application/xml", "application/+json", "text/a+json",
                           "application/jsonp", "application/json5", "application/x-www-form-urlencoded", "*/*",
                           "application/*", "multipart/form-data; boundary=json"}) {
    EXPECT_FALSE(is_json(value)) << value;
  }
}

TEST(ContentType, RefusesOtherCharsets) {
  for (const auto value : {"application/json; charset=utf-16", "application/json; charset=iso-8859-1",
                           "application/json; charset=utf-8; charset=latin1", "application/json; charset=utf",
                           "application/json; charset=utf88", "application/json; charset=utf_8",
                           "application/json; charset=\"utf-16\"", "text/json;CHARSET=us-ascii"}) {
    EXPECT_FALSE(is_json(value)) << value;
  }
}

TEST(ContentType, RefusesMalformedValues) {
  for (const auto value :
       {"application", "application/", "/json", "application /json", "application/json charset=utf-8",
        "application/json; charset", "application/json; charset=", "application/json; charset=\"utf-8",
        "application/json; =utf-8", "application/json, text/json", "application/json; charset=\"\"",
        "application/json; charset = utf-8", "application/json; a=\"\\"}) {
    EXPECT_FALSE(is_json(value)) << value;
  }
}

TEST(ContentType, MustBePresentOnce) {
  EXPECT_FALSE(has_json_content_type(HeaderRequest{}));
  EXPECT_FALSE(
      has_json_content_type(HeaderRequest{{"Content-Type", "application/json"}, {"Content-Type", "application/json"}}));
}

TEST(ContentCoding, IsEverythingButIdentity) {
  EXPECT_FALSE(is_content_coded(HeaderRequest{}));
  EXPECT_FALSE(is_content_coded(HeaderRequest{{"Content-Encoding", "identity"}}));
  EXPECT_FALSE(is_content_coded(HeaderRequest{{"Content-Encoding", ""}, {"content-encoding", "IDENTITY, ,identity"}}));
  EXPECT_TRUE(is_content_coded(HeaderRequest{{"content-encoding", "gzip"}}));
  EXPECT_TRUE(is_content_coded(HeaderRequest{{"Content-Encoding", "identity, br"}}));
  EXPECT_TRUE(is_content_coded(HeaderRequest{{"Content-Encoding", "identity"}, {"Content-Encoding", "gzip"}}));
}

}  // namespace
}  // namespace portail
