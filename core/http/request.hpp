// A request as a host hands it to the core: plain values and views; the host owns the bytes and keeps them until the
// request's Task has ended. Nothing is decoded, folded or defaulted before the core sees it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/http/chunk_source.hpp"

namespace portail {

struct HeaderView {
  std::string_view name;   // as received, any case
  std::string_view value;  // without surrounding white space
};

// Whether a request came over https: known, or its host's to find out where that matters, since every question costs a
// component a call.
class SchemeIsHttps {
 public:
  constexpr SchemeIsHttps(bool known) : known_(known) {}
  // `ask(host)` tells; `host` lives as long as the request.
  constexpr SchemeIsHttps(bool (*ask)(const void* host), const void* host) : ask_(ask), host_(host) {}

  constexpr operator bool() const { return ask_ ? ask_(host_) : known_; }

 private:
  bool known_ = false;
  bool (*ask_)(const void* host) = nullptr;
  const void* host_ = nullptr;
};

struct Request {
  std::string_view method;              // case-sensitive (RFC 9110 section 9.1)
  std::string_view target;              // origin-form, still percent-encoded: path, and "?query" where there is one
  std::span<const HeaderView> headers;  // in order, repeated ones repeated
  // How the request reached the host: true where the host itself ended TLS, or knows that its front did.
  SchemeIsHttps scheme_is_https = false;
  // True where X-Forwarded-Proto and Forwarded come from a peer that the operator trusts.
  bool forwarding_trusted = false;
  // True once the host has begun to stop: the readiness probe says so, and everything else is answered as before.
  bool draining = false;
  // Null when the request has no body. Read at most once, and not at all unless an endpoint wants it.
  ChunkSource* body = nullptr;
};

// The first header of that name, without regard to ASCII case.
std::optional<std::string_view> find_header(const Request& request, std::string_view name);
// How many headers have that name.
std::size_t count_headers(const Request& request, std::string_view name);

}  // namespace portail
