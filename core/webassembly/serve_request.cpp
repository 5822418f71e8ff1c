#include "core/webassembly/serve_request.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr std::size_t min_write_size = 32 * 1024;  // bytes: smaller chunks are joined

// Returns whether hosts forbid the header, because they frame the answer themselves.
bool is_framing_header(const HeaderField& field) {
  constexpr std::array<std::string_view, 10> names{"Connection",        "Content-Length",   "Host", "HTTP2-Settings",
                                                   "Keep-Alive",        "Proxy-Connection", "TE",   "Trailer",
                                                   "Transfer-Encoding", "Upgrade"};
  return std::ranges::any_of(names, [&](std::string_view name) { return equals_ignoring_case(name, field.name); });
}

Response internal_error() {
  Response response;
  response.status = 500;
  return response;
}

void set_framing_headers(Response& response) {
  std::erase_if(response.headers, is_framing_header);
  const auto* whole = std::get_if<std::string>(&response.body);
  if (!whole || never_has_body(response.status)) return;
  response.headers.push_back({"Content-Length", std::to_string(whole->size())});
}

// Returns whether bytes follow the answer's head; not after HEAD, 204 and 304 (RFC 9110 sections 6.4.1 and 9.3.2).
bool has_body(const Response& response, std::string_view method) {
  if (method == "HEAD" || never_has_body(response.status)) return false;
  const auto* whole = std::get_if<std::string>(&response.body);
  return !whole || !whole->empty();
}

// Returns false if the client has stopped reading.
Task<bool> write_chunks(Context& context, ChunkSource& source, AnswerWriter& answer) {
  std::string piece;
  for (bool ended = false; !ended;) {
    piece.clear();
    while (!ended && piece.size() < min_write_size) {
      const auto chunk = co_await source.next(context);
      ended = !chunk;
      if (chunk) piece.append(*chunk);
    }
    if (!piece.empty() && !co_await answer.write(context, piece)) co_return false;
  }
  co_return true;
}

}  // namespace

Task<void> serve_request(Context& context, Handler& handler, const Request& request, AnswerWriter& answer) {
  auto answered = co_await outcome(handler.handle(context, request));
  Response response = answered ? std::move(*answered) : internal_error();
  set_framing_headers(response);
  const bool bytes_follow = has_body(response, request.method);
  bool whole = co_await answer.begin(context, response, bytes_follow);
  if (whole && bytes_follow) {
    if (const auto* bytes = std::get_if<std::string>(&response.body)) {
      whole = co_await answer.write(context, *bytes);
    } else {
      ChunkSource& source = *std::get<std::unique_ptr<ChunkSource>>(response.body);
      whole = (co_await outcome(write_chunks(context, source, answer))).value_or(false);
    }
  }
  if (whole) {
    answer.end();
  } else {
    answer.abort();
  }
}

}  // namespace portail
