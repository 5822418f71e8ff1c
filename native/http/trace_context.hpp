// Trace context of a request: `traceparent` (W3C Trace Context). Pure functions; any thread.
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
  std::string_view parent_id;  // 16 such digits: the client's span
  bool sampled = false;
};

// Returns nullopt for a malformed value, which is treated as absent ("Versioning of traceparent"). Of a later version
// the parts of this version are parsed.
std::optional<TraceParent> parse_traceparent(std::string_view value);

// The span of one request in its client's trace, which identifies the request in all logs.
struct RequestSpan {
  std::string trace_id;
  std::string span_id;
  std::string parent_id;  // empty: this span begins the trace
  bool sampled = false;
};

// Returns a new span in the request's trace; nullopt if the request has no `traceparent`, or several.
std::optional<RequestSpan> child_span(const Request& request, RandomSource& random);

// Returns a span that begins a new, sampled trace.
RequestSpan root_span(RandomSource& random);

}  // namespace portail
