// Answers with complete bodies, as clients receive them: a streamed body is pulled to its end. For any store, also one
// that suspends; one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/service.hpp"
#include "core/base/text.hpp"
#include "core/http/response.hpp"

namespace portail {

struct Answer {
  int status = 0;
  std::vector<HeaderField> headers;
  std::string body;
  bool was_streamed = false;
  bool close = false;
  RequestSummary summary;

  // Returns the first header of that name, or nullopt.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const {
    for (const HeaderField& field : headers) {
      if (equals_ignoring_case(field.name, name)) return field.value;
    }
    return std::nullopt;
  }
};

// Appends the rest of `body`.
inline Task<void> append_body(Context& context, Body& body, std::string& out) {
  if (const auto* bytes = std::get_if<std::string>(&body)) {
    out += *bytes;
    co_return;
  }
  const auto& source = std::get<std::unique_ptr<ChunkSource>>(body);
  for (;;) {
    const auto chunk = co_await source->next(context);
    if (!chunk) co_return;
    out += *chunk;
  }
}

// Handles a request by a Service or a Management, and reads its whole answer. Fails only if the body's stream fails,
// which would abort a connection.
Task<Answer> serve(Context& context, const auto& service, const Request& request) {
  Response response = co_await service.handle(context, request);
  Answer answer;
  answer.status = response.status;
  answer.headers = std::move(response.headers);
  answer.close = response.close;
  answer.summary = std::move(response.summary);
  answer.was_streamed = !std::holds_alternative<std::string>(response.body);
  co_await append_body(context, response.body, answer.body);
  co_return answer;
}

}  // namespace portail
