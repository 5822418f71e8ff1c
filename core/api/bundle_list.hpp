// A list of bundles (docs/reference/contract.md, "Answers: bundle lists"), in at most three batches whatever its
// length. A short one is answered whole; one of many bundles or of many bytes is written as the host pulls it, from the
// stored values, and never stands in memory as JSON.
#pragma once

#include "core/api/endpoint.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {

inline constexpr std::size_t longest_whole_list = 256;         // bundles
inline constexpr std::size_t largest_whole_list = 512 * 1024;  // bytes

// The caller's bundles as a user, or those they manage.
Task<Response> list_bundles(Context& context, const Call& call, Relation relation);

}  // namespace portail
