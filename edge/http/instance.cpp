#include "edge/http/instance.hpp"

namespace portail::edge {

Instance& Instance::current() {
  static Instance* const instance = new Instance;
  return *instance;
}

Context Instance::context(FrameArena& frames) {
  constexpr auto timeout = static_cast<std::int64_t>(request_timeout_nanoseconds / 1000);
  return {.clock = clock_,
          .random = random_,
          .log = *log_,
          .frames = frames,
          .deadline = {clock_.now().microseconds + timeout}};
}

}  // namespace portail::edge
