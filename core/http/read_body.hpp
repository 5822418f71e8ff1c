// Reads the body of a request into memory. Belongs to one request.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"

namespace portail {

// Returns the complete body, or nullopt if it exceeds `max_size` bytes. Fails if it is cut off.
Task<std::optional<std::string>> read_body(Context& context, const Request& request, std::size_t max_size);

}  // namespace portail
