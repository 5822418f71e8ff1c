// Requests of tests, and their answers. One thread.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// A text in chunks of at most `chunk_size` bytes.
class TextSource final : public ChunkSource {
 public:
  explicit TextSource(std::string text, std::size_t chunk_size = 4096)
      : text_(std::move(text)), chunk_size_(chunk_size) {}

  Task<std::optional<std::string_view>> next(Context&) override {
    if (position_ == text_.size()) co_return std::nullopt;
    const std::string_view chunk = std::string_view(text_).substr(position_, chunk_size_);
    position_ += chunk.size();
    co_return chunk;
  }
  [[nodiscard]] bool was_read() const { return position_ > 0; }

 private:
  std::string text_;
  std::size_t chunk_size_;
  std::size_t position_ = 0;
};

// A request that owns its bytes, for tests that act as the host. It must not be moved until its Task has ended.
//
//   TestRequest request("PUT", "/api/app/objet-courrier/1", token);
//   request.header("If-Match", tag).json(R"({"utilisablePourLiasse":true,"typeAffectation":"Rien"})");
//   run_ready(service.handle(test.context, request.view()));
class TestRequest {
 public:
  // `token` is sent in an Authorization header if it is not empty; the scheme is https.
  TestRequest(std::string_view method, std::string_view target, std::string_view token = {})
      : method_(method), target_(target) {
    if (!token.empty()) header("Authorization", std::string("Bearer ").append(token));
  }
  TestRequest(const TestRequest&) = delete;
  TestRequest& operator=(const TestRequest&) = delete;

  TestRequest& header(std::string_view name, std::string_view value) {
    headers_.push_back({std::string(name), std::string(value)});
    return *this;
  }
  TestRequest& body(std::string_view bytes, std::size_t chunk_size = 4096) {
    body_.emplace(std::string(bytes), chunk_size);
    return *this;
  }
  TestRequest& json(std::string_view text) { return header("Content-Type", "application/json").body(text); }

  // The body can be read once, so each Task needs its own view. The caller may change the other members of the view.
  Request view() {
    views_.clear();
    for (const Header& header : headers_) views_.push_back({header.name, header.value});
    return {.method = method_,
            .target = target_,
            .headers = views_,
            .scheme_is_https = true,
            .body = body_ ? &*body_ : nullptr};
  }
  [[nodiscard]] bool body_was_read() const { return body_ && body_->was_read(); }

 private:
  struct Header {
    std::string name;
    std::string value;
  };
  std::string method_;
  std::string target_;
  std::deque<Header> headers_;
  std::vector<HeaderView> views_;
  std::optional<TextSource> body_;
};

// Answers with complete bodies, as clients receive them: a streamed body is pulled to its end. For any store, also one
// that suspends; one thread.
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
