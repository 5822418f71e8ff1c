// Lists of bundles (docs/reference/contract.md, "Answers: bundle lists"), in at most three batches whatever their
// length. A short list is buffered. A list with many bundles or bytes is streamed from the stored values, without
// buffering its JSON.
#pragma once

#include "core/api/endpoint.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {

inline constexpr std::size_t max_buffered_bundles = 256;       // bundles
inline constexpr std::size_t max_buffered_bytes = 512 * 1024;  // bytes

// Lists the caller's own bundles, or those that they manage.
Task<Response> list_bundles(Context& context, const Call& call, Relation relation);

}  // namespace portail
