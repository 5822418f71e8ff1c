#include "core/guest/exchange.hpp"

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

constexpr std::size_t sent_together = 32 * 1024;

// What hosts do not let a guest say, because they frame the answer themselves.
bool belongs_to_host(const HeaderField& field) {
  constexpr std::array<std::string_view, 10> names{"Connection",        "Content-Length",   "Host", "HTTP2-Settings",
                                                   "Keep-Alive",        "Proxy-Connection", "TE",   "Trailer",
                                                   "Transfer-Encoding", "Upgrade"};
  return std::ranges::any_of(names, [&](std::string_view name) { return equals_ignoring_case(name, field.name); });
}

Response failed_answer() {
  Response response;
  response.status = 500;
  return response;
}

void frame(Response& response) {
  std::erase_if(response.headers, belongs_to_host);
  const auto* whole = std::get_if<std::string>(&response.body);
  if (!whole || never_has_body(response.status)) return;
  response.headers.push_back({"Content-Length", std::to_string(whole->size())});
}

// Whether bytes follow the answer's head: not after HEAD, 204 and 304 (RFC 9110 sections 6.4.1 and 9.3.2).
bool has_body(const Response& response, std::string_view method) {
  if (method == "HEAD" || never_has_body(response.status)) return false;
  const auto* whole = std::get_if<std::string>(&response.body);
  return !whole || !whole->empty();
}

// False: the client has stopped reading.
Task<bool> write_chunks(Context& context, ChunkSource& source, AnswerWriter& answer) {
  std::string piece;
  for (bool ended = false; !ended;) {
    piece.clear();
    while (!ended && piece.size() < sent_together) {
      const auto chunk = co_await source.next(context);
      ended = !chunk;
      if (chunk) piece.append(*chunk);
    }
    if (!piece.empty() && !co_await answer.write(context, piece)) co_return false;
  }
  co_return true;
}

}  // namespace

Task<void> exchange(Context& context, Handler& handler, const Request& request, AnswerWriter& answer) {
  auto answered = co_await outcome(handler.handle(context, request));
  Response response = answered ? std::move(*answered) : failed_answer();
  frame(response);
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
    answer.break_off();
  }
}

}  // namespace portail
