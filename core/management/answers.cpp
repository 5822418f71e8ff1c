#include "core/management/answers.hpp"

#include <utility>

#include "core/json/writer.hpp"

namespace portail {

Response management_problem(int status, std::string_view message, std::string_view data) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().name("error").begin_object().name("code").null().name("message").string(message);
  json.name("details").null().name("data").raw(data).name("validationErrors").null();
  json.end_object().end_object();
  return json_answer(std::move(body), status);
}

Response json_answer(std::string json, int status) {
  Response response;
  response.status = status;
  response.headers.push_back({"Content-Type", "application/json; charset=utf-8"});
  response.body = std::move(json);
  return response;
}

Response streamed_answer(std::string_view content_type, std::unique_ptr<ChunkSource> body) {
  Response response;
  response.headers.push_back({"Content-Type", std::string(content_type)});
  response.body = std::move(body);
  return response;
}

Task<std::optional<std::string>> read_whole_body(Context& context, const Request& request, std::size_t max_size) {
  std::string body;
  if (!request.body) co_return body;
  while (const auto chunk = co_await request.body->next(context)) {
    if (body.size() + chunk->size() > max_size) co_return std::nullopt;
    body += *chunk;
  }
  co_return body;
}

}  // namespace portail
