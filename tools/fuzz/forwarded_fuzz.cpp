// The value of Forwarded from a trusted proxy. It means https only if no other reading of it is possible.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "core/http/transport.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

bool is_secure(std::string_view forwarded, std::string_view proto = {}) {
  std::vector<HeaderView> headers{{.name = "Forwarded", .value = forwarded}};
  if (!proto.empty()) headers.push_back({.name = "X-Forwarded-Proto", .value = proto});
  return is_transport_secure({.method = "GET", .target = "/", .headers = headers, .forwarding_trusted = true},
                             Transport::forwarded);
}

// The value with each quoted string (RFC 9110, section 5.6.4) replaced by `q`; an unterminated string leaves its quote.
std::string without_strings(std::string_view value) {
  std::string rest;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '"') {
      rest += value[i];
      continue;
    }
    std::size_t end = i + 1;
    while (end < value.size() && value[end] != '"') end += value[end] == '\\' ? 2 : 1;
    rest += end < value.size() ? 'q' : '"';
    i = end;
  }
  return rest;
}

std::size_t count_protos(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  std::size_t count = 0;
  for (std::size_t at = lower.find("proto"); at != std::string::npos; at = lower.find("proto", at + 1)) ++count;
  return count;
}

}  // namespace

void fuzz(std::string_view input) {
  const std::string_view value = trimmed(input);  // as returned by the parser of a head
  const std::array untrusted{HeaderView{.name = "Forwarded", .value = value}};
  check(!is_transport_secure({.method = "GET", .target = "/", .headers = untrusted}, Transport::forwarded),
        "an untrusted sender's header is ignored");
  if (!is_secure(value)) return;

  const std::string outside = without_strings(value);
  check(!outside.contains('"'), "no string is left open");
  check(!outside.contains(','), "one element");
  check(count_protos(outside) >= 1, "it names the scheme, and not within a string");
  const std::string text(value);
  check(!is_secure(text + ", for=192.0.2.1;proto=http"), "nothing hides what a proxy adds behind it");
  check(!is_secure("for=192.0.2.1;proto=http, " + text), "or before it");
  check(!is_secure(text + ";proto=https"), "the scheme is named once");
  check(is_secure("for=192.0.2.1;" + text), "other parameters change nothing");
  check(is_secure(value, "https") && !is_secure(value, "http"), "the two headers agree");
}
