// The answers of the management interface. Its messages are English. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/http/chunk_source.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// An error in the form of the public interface: {"error":{"code":null,"message":"…","data":{},…}}. `data` is a JSON
// object.
Response management_problem(int status, std::string_view message, std::string_view data = "{}");

Response json_answer(std::string json, int status = 200);
// Streams JSON objects, one a line (application/x-ndjson), or a document.
Response streamed_answer(std::string_view content_type, std::unique_ptr<ChunkSource> body);

inline constexpr std::string_view json_lines_content_type = "application/x-ndjson; charset=utf-8";

// Returns the refusal of a body that is not JSON, or is compressed: 415; nullopt if it is JSON.
std::optional<Response> media_type_refusal(const Request& request);

}  // namespace portail
