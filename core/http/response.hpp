// An answer as the core hands it to a host, to be written as it is: the host adds only what its protocol needs for
// framing (Date, Content-Length, Connection). A value; it must not outlive the request's Context.
#pragma once

#include <memory>
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
  // True for an answer after which the connection must be closed (docs/contract.md, "Errors: framing").
  bool close = false;
  RequestSummary summary;
};

}  // namespace portail
