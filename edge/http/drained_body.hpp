// Reads the rest of a request body that the core did not read. A host that drops unread bytes resets the connection,
// and a client that still sends may never receive its answer.
#pragma once

#include "core/base/task.hpp"
#include "core/http/request.hpp"

namespace portail::edge {

// Reads and discards at most 1 MiB of `body`. Never fails. A null `body` is ignored.
Task<void> drain(Context& context, ChunkSource* body);

}  // namespace portail::edge
