// The rest of a body that the core did not read. A host that drops bytes unread resets the connection, and the client,
// still sending, may never see its answer; so what is left is read, up to a bound.
#pragma once

#include "core/base/task.hpp"
#include "core/http/chunk_source.hpp"

namespace portail::edge {

// Never fails. Null: there is no body.
Task<void> drain(Context& context, ChunkSource* body);

}  // namespace portail::edge
