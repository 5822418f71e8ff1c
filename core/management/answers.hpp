// The answers of the management interface. Its messages are English. Any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
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

// Returns the complete body, or nullopt if it exceeds `max_size`. Fails if it is cut off.
Task<std::optional<std::string>> read_whole_body(Context& context, const Request& request, std::size_t max_size);

}  // namespace portail
