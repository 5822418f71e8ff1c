// A host of wasi:clocks@0.3.0 whose periods end at the next turn of the host's event loop. It prints each period.
#include "bindings/clock3-host/clock3_host.h"

#include <cinttypes>
#include <cstdio>

clock3_host_callback_code_t exports_clock_wait_for(exports_clock_duration_t how_long) {
  std::fprintf(stderr, "clock: %" PRIu64 " ns\n", how_long);
  return CLOCK3_HOST_CALLBACK_CODE_YIELD;
}

clock3_host_callback_code_t exports_clock_wait_for_callback(clock3_host_event_t* event) {
  if (event->event == CLOCK3_HOST_EVENT_CANCEL) {
    clock3_host_task_cancel();
  } else {
    exports_clock_wait_for_return();
  }
  return CLOCK3_HOST_CALLBACK_CODE_EXIT;
}
