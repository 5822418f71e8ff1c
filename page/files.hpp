// The files of the portal's page, built and embedded by build.mjs: constants. For hosts that serve them; any thread.
#pragma once

#include <span>
#include <string_view>

namespace portail {

struct PageFile {
  std::string_view path;  // what a request asks for: "/" for the page itself, "/swagger/index.html" for the viewer of
                          // the interface, "/swagger/oauth2-redirect.html" for its sign-in; else "/page/" and a name
                          // with its own hash
  std::string_view media_type;
  std::string_view bytes;
  std::string_view brotli;  // the same, compressed (RFC 7932)
  std::string_view tag;     // a strong entity tag of the bytes, quotes included
};

std::span<const PageFile> page_files();

}  // namespace portail
