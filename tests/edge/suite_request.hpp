// For suites of asynchronous stores: such a suite runs in a request of a component.
#pragma once

#include <memory>

#include "core/storage/key_value_store.hpp"
#include "edge/async/events.hpp"

namespace portail {

// Runs `task` without suspending the caller: while a call is pending, blocks for the host's next event. The suite's
// calls must be synchronous.
template <class T>
Result<T> run_waiting(Task<T> task) {
  edge::Events& events = edge::Events::current();
  task.start([](void*) {}, nullptr);
  while (!task.done()) {
    http3_event_t event{};
    http3_waitable_set_wait(events.wait_code() >> 4, &event);
    events.dispatch(event);
  }
  return task.result();
}

// Returns a store whose operations block until those of `store` have completed.
std::unique_ptr<KeyValueStore> make_waiting(std::unique_ptr<KeyValueStore> store);

}  // namespace portail
