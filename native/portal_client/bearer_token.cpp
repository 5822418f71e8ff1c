#include "native/portal_client/bearer_token.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/text.hpp"
#include "native/system/small_file.hpp"

namespace portail {

std::expected<std::string, Fault> read_bearer_token(const std::string& file) {
  std::string token;
  if (file.empty()) {
    const char* value = std::getenv("PORTAIL_TOKEN");
    token = value ? value : "";
  } else {
    auto text = read_small_file(file, "--token-file");
    if (!text) return failure(text.error());
    token = std::move(*text);
  }
  token = trimmed(token, " \t\r\n");
  const bool is_token = !token.empty() && std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_token) return wrong_usage("no token: give --token-file a file with one, or set PORTAIL_TOKEN");
  return token;
}

}  // namespace portail
