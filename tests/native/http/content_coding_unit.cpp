#include <array>

#include <gmock/gmock.h>

#include "native/http/content_coding.hpp"

namespace portail {
namespace {

ContentCoding preferred(std::string_view accept_encoding) {
  const std::array headers{HeaderView{.name = "accept-encoding", .value = accept_encoding}};
  return preferred_coding({.method = "GET", .target = "/", .headers = headers});
}

Response with_tag(std::string tag) {
  Response response;
  response.headers.push_back({"ETag", std::move(tag)});
  return response;
}

TEST(ContentCoding, IsTheOneThatTheClientPrefers) {
  EXPECT_EQ(preferred("gzip, deflate, br, zstd"), ContentCoding::zstd);
  EXPECT_EQ(preferred("gzip, deflate, br"), ContentCoding::gzip);
  EXPECT_EQ(preferred("GZIP"), ContentCoding::gzip);
  EXPECT_EQ(preferred("zstd;q=0.5, gzip;q=0.8"), ContentCoding::gzip);
  EXPECT_EQ(preferred("*"), ContentCoding::zstd);
  EXPECT_EQ(preferred("*;q=0.5, zstd;q=0"), ContentCoding::gzip);
}

TEST(ContentCoding, IsIdentityIfTheClientAcceptsNoOther) {
  for (const std::string_view value : {"", "br", "identity", "gzip;q=0", "gzip;q=0.000", "gzip;q=x",
                                       "gzip;q=", "gzip;q=15", "gzip;", "gzip;q=0.5, identity", "*;q=0", "gzip;x=1"}) {
    EXPECT_EQ(preferred(value), ContentCoding::identity) << value;
  }
  EXPECT_EQ(preferred_coding({.method = "GET", .target = "/", .headers = {}}), ContentCoding::identity);
}

TEST(ContentCoding, SelectsAmongStoredCodings) {
  const auto prefers_brotli = [](std::string_view accept_encoding) {
    constexpr std::array stored{ContentCoding::brotli};
    const std::array headers{HeaderView{.name = "Accept-Encoding", .value = accept_encoding}};
    return preferred_coding({.method = "GET", .target = "/", .headers = headers}, stored) == ContentCoding::brotli;
  };
  EXPECT_TRUE(prefers_brotli("gzip, deflate, br, zstd"));
  EXPECT_TRUE(prefers_brotli("*"));
  for (const std::string_view value : {"", "gzip, zstd", "br;q=0", "br;q=0.5, identity"}) {
    EXPECT_FALSE(prefers_brotli(value)) << value;
  }
}

TEST(ContentCoding, MarksTheEntityTag) {
  Response response = with_tag("\"abc\"");
  mark_coded(response, ContentCoding::gzip);
  EXPECT_EQ(response.headers[0].value, "\"abc-gzip\"");
  EXPECT_EQ(response.headers[1].name, "Content-Encoding");
  EXPECT_EQ(response.headers[1].value, "gzip");
}

TEST(ContentCoding, A304NamesTheTagThatTheClientHolds) {
  const auto tag_for = [](std::string_view condition) {
    const std::array headers{HeaderView{.name = "If-None-Match", .value = condition}};
    Response response = with_tag("\"abc\"");
    match_not_modified_tag({.method = "GET", .target = "/", .headers = headers}, response);
    return response.headers[0].value;
  };
  EXPECT_EQ(tag_for("\"abc\""), "\"abc\"");
  EXPECT_EQ(tag_for("W/\"abc-zstd\""), "\"abc-zstd\"");
  EXPECT_EQ(tag_for("\"x\", \"abc-gzip\""), "\"abc-gzip\"");
  EXPECT_EQ(tag_for("\"abc-br\""), "\"abc-br\"");
  EXPECT_EQ(tag_for("*"), "\"abc\"");
}

TEST(ContentCoding, CompressesFromAKibibyteOn) { EXPECT_EQ(min_compressed_size, 1'024U); }

TEST(ContentCoding, CompressesTextOnly) {
  const auto compressible = [](std::string type) {
    Response response;
    response.headers.push_back({"Content-Type", std::move(type)});
    return is_compressible(response);
  };
  EXPECT_TRUE(compressible("application/json; charset=utf-8"));
  EXPECT_TRUE(compressible("text/html"));
  EXPECT_FALSE(compressible("application/pdf"));
  EXPECT_FALSE(is_compressible(Response{}));
}

TEST(Compressor, AcceptsPiecesOfAnySize) {
  for (const ContentCoding coding : {ContentCoding::gzip, ContentCoding::zstd}) {
    Compressor compressor(coding);
    std::string out;
    std::string piece;
    for (unsigned i = 0; i < 20'000; ++i) {
      piece = std::to_string(i * 2654435761u) + piece.substr(0, i % 64);
      compressor.compress(piece, false, out);
    }
    compressor.compress({}, true, out);
    EXPECT_GT(out.size(), 1000u);
    EXPECT_EQ(out.substr(0, 2), coding == ContentCoding::gzip ? "\x1f\x8b" : "\x28\xb5");
  }
}

}  // namespace
}  // namespace portail
