// An answer from the core to a host, which writes it unchanged and adds only the headers of its protocol's framing
// (Date, Content-Length, Connection). A value; it must not outlive the request's Context.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/http/chunk_source.hpp"
#include "core/http/reason.hpp"

namespace portail {

struct HeaderField {
  std::string_view name;  // a constant, in its canonical case
  std::string value;
};

// The fields of the host's log line of a request; never sent.
struct RequestSummary {
  std::string_view route = "-";  // the pattern, a constant: "/api/app/liasse/{id}"
  std::string subject;           // the caller's `sub`, empty for an anonymous one; logged only as an HMAC
  std::string client;            // the token's client; empty: none
  std::string entity;            // the value of {id}, decoded
  std::string correlation_id;
  // The reason for an access line (request_lines.hpp): "refused", "managed bundle" or "managed bundles"; empty: no
  // access line.
  std::string_view access;
  Reason reason = Reason::none;  // of 401, 403, 429 and 503
};

using Body = std::variant<std::string, std::unique_ptr<ChunkSource>>;

struct Response {
  int status = 200;
  std::vector<HeaderField> headers;
  // All bytes, or a source of chunks to be pulled with the request's Context. For HEAD it is the body of GET: the host
  // writes its Content-Length if it has all bytes, and never the body.
  Body body;
  // The total bytes of a body of chunks, if known before; for hosts that send it to clients.
  std::optional<std::uint64_t> streamed_length;
  // True for an answer after which the connection must be closed (docs/reference/contract.md, "Errors: framing").
  bool close = false;
  RequestSummary summary;
};

// Returns whether answers of this status have neither a body nor a Content-Length (RFC 9110 sections 6.4.1 and 8.6).
constexpr bool never_has_body(int status) { return status == 204 || status == 304 || status < 200; }

// Returns the first header of that name, in its canonical case, or null.
[[nodiscard]] const HeaderField* find_header(const Response& response, std::string_view name);
[[nodiscard]] HeaderField* find_header(Response& response, std::string_view name);

}  // namespace portail
