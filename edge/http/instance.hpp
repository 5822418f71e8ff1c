// The state that the requests of an instance share: the host's services and the handler. For the adapters. One thread:
// hosts call an instance from one thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "edge/host/system.hpp"
#include "edge/http/make_handler.hpp"

namespace portail::edge {

// Timeouts of a request including its body, and of sending its answer.
inline constexpr std::uint64_t request_timeout_nanoseconds = 30'000'000'000;
inline constexpr std::uint64_t response_timeout_nanoseconds = 60'000'000'000;
inline constexpr std::size_t body_chunk_size = std::size_t{16} * 1024;  // bytes of one read of a body

class Instance {
 public:
  // Returns the instance, which the first request creates. It is never destroyed: the host frees its memory as a whole.
  static Instance& current();

  [[nodiscard]] Context context(FrameArena& frames);
  // Called when the host calls the instance, and after each wait.
  void invalidate_time() { clock_.invalidate_time(); }
  [[nodiscard]] Handler& handler() { return *handler_; }

 private:
  Instance() : handler_(make_handler({.clock = clock_, .random = random_, .log = *log_})) {}

  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<Log> log_ = make_log(clock_);
  std::unique_ptr<Handler> handler_;
};

}  // namespace portail::edge
