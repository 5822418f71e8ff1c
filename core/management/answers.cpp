#include "core/management/answers.hpp"

#include <utility>

#include "core/http/media_type.hpp"
#include "core/http/problem.hpp"

namespace portail {

Response management_problem(int status, std::string_view message, std::string_view data) {
  return json_answer(error_body(message, {}, data), status);
}

Response json_answer(std::string json, int status) {
  Response response;
  response.status = status;
  response.headers.push_back({"Content-Type", std::string(json_content_type)});
  response.body = std::move(json);
  return response;
}

Response streamed_answer(std::string_view content_type, std::unique_ptr<ChunkSource> body) {
  Response response;
  response.headers.push_back({"Content-Type", std::string(content_type)});
  response.body = std::move(body);
  return response;
}

std::optional<Response> media_type_refusal(const Request& request) {
  if (has_json_content_type(request) && !is_content_coded(request)) return std::nullopt;
  return management_problem(415, "Content-Type must be application/json, without Content-Encoding");
}

}  // namespace portail
