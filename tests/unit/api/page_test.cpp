// The page that shows the OpenAPI document, the redirects to it, and the revalidation of all documents.
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sodium.h>

#include "core/auth/base64url.hpp"
#include "tests/unit/api/documents_test.hpp"

namespace portail {
namespace {

constexpr std::string_view page_target = "/swagger/index.html";

// Returns the source with which a Content-Security-Policy allows the content of the tag.
std::string allowing_source(std::string_view page, const std::string& tag) {
  const std::size_t begin = page.find("<" + tag + ">") + tag.size() + 2;
  const std::string_view content = page.substr(begin, page.find("</" + tag + ">") - begin);
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(content.data()), content.size());
  std::string base64 = base64url_encode(std::as_bytes(std::span(hash)));
  for (char& c : base64) c = c == '-' ? '+' : c == '_' ? '/' : c;
  return tag + "-src 'sha256-" + base64 + "=';";
}

TEST_F(DocumentsTest, DocumentsAreRevalidated) {
  for (const std::string_view target : {open_api_target, page_target, definition_target}) {
    const Answer first = get(target, "");
    EXPECT_EQ(first.header("Cache-Control"), target == definition_target ? "no-store" : "private, no-cache");
    TestRequest again("GET", target);
    again.header("If-None-Match", first.header("ETag").value_or(""));
    const Answer second = ask(again.view());
    EXPECT_EQ(second.status, 304) << target;
    EXPECT_EQ(second.body, "");
    EXPECT_EQ(second.header("ETag"), first.header("ETag"));
  }
}

TEST_F(DocumentsTest, PageIsSelfContained) {
  const Answer page = get(page_target, "");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_TRUE(page.body.starts_with("<!DOCTYPE html>\n"));
  // Nothing from other origins, and no way to execute markup as script.
  for (const std::string_view absent : {"http:", "https:", "src=", "innerHTML", "onclick"}) {
    EXPECT_FALSE(page.body.contains(absent)) << absent;
  }
  // Readable without its script.
  const std::size_t script = page.body.find("<script>");
  EXPECT_TRUE(page.body.substr(0, script).contains(R"(<a href="v1/swagger.json">v1/swagger.json</a>)"));
}

TEST_F(DocumentsTest, AddressOfTheServerLeadsToThePage) {
  for (const auto& [target, location] : {std::pair<std::string_view, std::string_view>{"/", "swagger/index.html"},
                                         {"/?code=1/", "swagger/index.html"},
                                         {"http://host", "swagger/index.html"},
                                         {"http://host?a=b/", "swagger/index.html"},
                                         {"http://host/swagger/", "index.html"},
                                         {"/swagger", "swagger/index.html"},
                                         {"/Swagger/?a", "index.html"}}) {
    const Answer answer = get(target, "");
    EXPECT_EQ(answer.status, 302) << target;
    EXPECT_EQ(answer.header("Location"), location) << target;
    EXPECT_EQ(answer.body, "");
  }
  EXPECT_EQ(get("//", "").status, 404);
}

TEST_F(DocumentsTest, PagePolicyAllowsItsOwnScriptAndStyleOnly) {
  const Answer page = get(page_target, "");
  const std::string expected = "default-src 'none'; " + allowing_source(page.body, "script") + " " +
                               allowing_source(page.body, "style") +
                               " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  EXPECT_EQ(page.header("Content-Security-Policy"), expected);
}

}  // namespace
}  // namespace portail
