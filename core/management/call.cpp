#include "core/management/call.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/printable.hpp"
#include "core/base/text.hpp"
#include "core/http/header_fields.hpp"
#include "core/http/problem.hpp"
#include "core/http/target.hpp"

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

std::optional<std::string> parameter_fault(std::string_view query, std::span<const std::string_view> known) {
  std::vector<std::string_view> given;
  while (const auto parameter = next_parameter(query)) {
    const auto found =
        std::ranges::find_if(known, [&](std::string_view name) { return equals_ignoring_case(parameter->name, name); });
    if (found == known.end()) {
      return "unknown parameter \"" + printable(parameter->name) + '"' + NearestName(parameter->name, known).question();
    }
    if (trimmed(parameter->value).empty()) return std::string(*found) + " has no value";
    if (std::ranges::contains(given, *found)) return std::string(*found) + " must be given once only";
    given.push_back(*found);
  }
  return std::nullopt;
}

}  // namespace portail
