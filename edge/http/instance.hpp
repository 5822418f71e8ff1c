// What an instance of a component has beside its requests: the host's services and the component's handler. For the
// adapters. One thread: the component model calls an instance from no other.
#pragma once

#include <cstdint>
#include <memory>

#include "edge/host/log.hpp"
#include "edge/host/system.hpp"
#include "edge/http/make_handler.hpp"

namespace portail::edge {

// What a request may take in all, body included, and then its answer: longer than that, a peer keeps us waiting.
inline constexpr std::uint64_t longest_request_nanoseconds = 30'000'000'000;
inline constexpr std::uint64_t longest_answer_nanoseconds = 60'000'000'000;

class Instance {
 public:
  // This one; made by the first request. An instance has no end: its memory goes back to the host as a whole.
  static Instance& current();

  [[nodiscard]] Context context(FrameArena& frames);
  // The host calls, or was waited for.
  void time_has_passed() { clock_.time_has_passed(); }
  [[nodiscard]] Handler& handler() { return *handler_; }

 private:
  Instance() : handler_(make_handler({.clock = clock_, .random = random_, .log = log_})) {}

  SystemClock clock_;
  SystemRandom random_;
  StandardErrorLog log_{clock_};
  std::unique_ptr<Handler> handler_;
};

}  // namespace portail::edge
