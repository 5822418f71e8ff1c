// A host of wasi:clocks@0.2.3 whose periods end as soon as they begin. It prints each period.
#include "bindings/clock2-host/clock2_host.h"

#include <cinttypes>
#include <cstdio>

exports_clock_instant_t exports_clock_now() { return 0; }

exports_clock_duration_t exports_clock_resolution() { return 1; }

exports_clock_own_pollable_t exports_clock_subscribe_instant(exports_clock_instant_t) {
  // Standard error is always ready. Its handle must outlive the pollable.
  static const stream_own_output_stream_t always_ready = standard_error_get_stderr();
  return stream_method_output_stream_subscribe(stream_borrow_output_stream(always_ready));
}

exports_clock_own_pollable_t exports_clock_subscribe_duration(exports_clock_duration_t when) {
  std::fprintf(stderr, "clock: %" PRIu64 " ns\n", when);
  return exports_clock_subscribe_instant(when);
}
