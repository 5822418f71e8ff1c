// A response as the core gives it to a host, the handlers of requests, and the log lines of both. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/reason.hpp"
#include "core/http/request.hpp"

namespace portail {

// An answer from the core to a host, which writes it unchanged and adds only the headers of its protocol's framing
// (Date, Content-Length, Connection). A value; it must not outlive the request's Context.

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
  // The reason for an access line (RequestLine): "refused", "managed bundle" or "managed bundles"; empty: no
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

// The headers of every answer (docs/reference/contract.md, "Answers: always"). Any thread.

// Adds Vary, X-Content-Type-Options, X-Correlation-Id, and Cache-Control: no-store if the answer has no Cache-Control.
void add_common_headers(Response& response, std::string correlation_id);

// The interface between the adapter of a WebAssembly host and the portal: answers requests. One thread.

class Handler {
 public:
  virtual ~Handler() = default;

  // Answers one request. Several may be in flight, each in its own coroutine. May set the Context's token_cache. The
  // arguments and this object must stay valid until the answer is sent. If the Task fails, the adapter answers 500.
  // Destroying the Task cancels the request.
  virtual Task<Response> handle(Context& context, const Request& request) = 0;

  // Called after the answer was sent. May start work that goes on after the request. Default: nothing.
  virtual void after_answer(Context&) {}
};

// The log lines of requests, as JSON members (core/json/writer.hpp). The request line is written for every request,
// and can be turned off. The access line says who read a client's bundles as their manager, and what was refused and
// why; it is always written. Never a token, target or query. Pure functions; any thread.

// The members that both lines have. The references are valid during the call.
struct RequestLine {
  std::string_view method;
  const RequestSummary& summary;
  int status;
  std::string_view subject;     // the caller's pseudonym; empty: an anonymous caller
  std::string_view trace = {};  // the members of the request's trace, each after a comma; empty: it has none
};

void append_request_line(std::string& members, const RequestLine& request, std::int64_t microseconds);

// The access of the line of a refusal.
inline constexpr std::string_view refused_access = "refused";

// Whether the request needs an access line. Refusals other than 403 do only if they have no request line, which has the
// reason, too.
[[nodiscard]] bool needs_access_line(const RequestSummary& summary, int status, bool has_request_line);
void append_access_line(std::string& members, const RequestLine& request);

// `OPTIONS *`: a request for the options of the server as a whole (RFC 9110 section 9.3.7). Any thread.

// Returns whether the request is `OPTIONS *`, or its absolute-form, which has neither path nor query (RFC 9112 section
// 3.2.4).
bool asks_server_options(const Request& request);

// Returns 204; `allow` is the list of the methods, "GET, HEAD".
Response server_options(std::string_view allow);

}  // namespace portail
