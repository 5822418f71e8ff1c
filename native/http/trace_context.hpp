// Where a request stands in a distributed trace, as its client says by `traceparent` (W3C Trace Context). Pure
// functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/http/request.hpp"

namespace portail {

// Views into the field's value.
struct TraceParent {
  std::string_view trace_id;   // 32 lower-case hexadecimal digits, not all zero
  std::string_view parent_id;  // 16 of them: the client's span
  bool sampled = false;
};

// nullopt where it is malformed: then it is as if there were none ("Versioning of traceparent"). Of a later version,
// what this one has of it.
std::optional<TraceParent> parse_traceparent(std::string_view value);

// The span of one request in the trace of its client: what it is known by where logs are read together.
struct RequestSpan {
  std::string trace_id;
  std::string span_id;
  std::string parent_id;  // empty: it begins the trace
  bool sampled = false;
};

// nullopt where the request names no trace, or more than one.
std::optional<RequestSpan> span_of(const Request& request, RandomSource& random);

// The span that begins a trace, which is sampled.
RequestSpan first_span(RandomSource& random);

}  // namespace portail
