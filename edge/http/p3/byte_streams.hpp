// Reading and writing the component model's byte streams from a coroutine. Destroying the coroutine takes back what the
// host was asked for.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "edge/async/events.hpp"
#include "edge/http/p3/resources.hpp"

namespace portail::edge {

// Bytes from the host into `buffer`, which is not empty and lives as long as the Task: how many; 0 at the end of the
// stream. Fails with Failure::cancelled when the timer is over first.
Task<std::size_t> read_some(Context& context, const ByteReader& stream, std::span<char> buffer, Timer& timer);

// After the end of a body's stream: whether the body ended there too, or its sender was lost.
Task<bool> was_whole(Context& context, const TrailersReader& trailers, Timer& timer);

// All of `bytes`, which live as long as the Task, to the host. False: nobody reads any more, or the timer is over.
Task<bool> write_all(Context& context, const ByteWriter& stream, std::string_view bytes, Timer& timer);

}  // namespace portail::edge
