// The endpoints of bundles: the lists of a client and of a manager, and one bundle.
#pragma once

#include "core/api/endpoint.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {

// Lists of bundles (docs/reference/contract.md, "Answers: bundle lists"), in at most three batches of reads whatever
// their length, or five if the store has a revision and no answer is cached. A short list is buffered, and cached if
// the store has a revision. A longer list is streamed from the stored values, without buffering its JSON.

inline constexpr std::size_t max_buffered_bytes = 512 * 1024;  // a longer list is streamed

// Lists the caller's own bundles, or those that they manage.
Task<Response> list_bundles(Context& context, const Call& call, Relation relation);

// The endpoints of document bundles (docs/reference/contract.md, "Endpoints"), for /api/app/liasse and below.

Task<Response> list_own_bundles(Context& context, const Call& call);      // GET …
Task<Response> list_managed_bundles(Context& context, const Call& call);  // GET …/dashboard-list
Task<Response> get_bundle(Context& context, const Call& call);            // GET …/{id}

}  // namespace portail
