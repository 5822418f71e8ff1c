// Reads the body of a request into memory. Belongs to one request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/request.hpp"

namespace portail {

// Returns whether Content-Length is over `max_size` bytes. The first read of the body would ask a client that sent
// `Expect: 100-continue` for all of it.
bool announces_more_than(std::uint64_t max_size, const Request& request);

// Returns the complete body, or nullopt if it exceeds `max_size` bytes. Fails as the request's body does.
Task<std::optional<std::string>> read_body(Context& context, const Request& request, std::size_t max_size);

}  // namespace portail
