// An answer as the core hands it to a host, to be written as it is: the host adds only what its protocol needs for
// framing (Date, Content-Length, Connection). A value; it must not outlive the request's Context.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/http/chunk_source.hpp"

namespace portail {

struct HeaderField {
  std::string_view name;  // a constant, in its canonical case
  std::string value;
};

// What the host's log says of a request; never sent.
struct RequestSummary {
  std::string_view route = "-";  // the pattern, a constant: "/api/app/liasse/{id}"
  std::string subject;           // the caller's `sub`, empty for an anonymous one; logged only as an HMAC
  std::string client;            // the token's client, empty where it names none
  std::string entity;            // what stands for {id}, decoded
  std::string correlation_id;
  // Why this request leaves an access line whatever else is logged: "refused", "managed bundle" or "managed bundles";
  // empty where it leaves none.
  std::string_view access;
};

using Body = std::variant<std::string, std::unique_ptr<ChunkSource>>;

struct Response {
  int status = 200;
  std::vector<HeaderField> headers;
  // Whole bytes, or chunks to be pulled with the request's own Context. For HEAD it is what GET would have sent: the
  // host writes its Content-Length where it is whole bytes, and never the body.
  Body body;
  // Of a body of chunks: how many bytes they are in all, where that is known before; for hosts that say it to clients.
  std::optional<std::uint64_t> streamed_length;
  // True for an answer after which the connection must be closed (docs/reference/contract.md, "Errors: framing").
  bool close = false;
  RequestSummary summary;
};

// These never have a body, and no Content-Length that would say so (RFC 9110 sections 6.4.1 and 8.6).
constexpr bool never_has_body(int status) { return status == 204 || status == 304 || status < 200; }

// The first header of that name, in its canonical case; null where there is none.
[[nodiscard]] const HeaderField* find_header(const Response& response, std::string_view name);
[[nodiscard]] HeaderField* find_header(Response& response, std::string_view name);

}  // namespace portail
