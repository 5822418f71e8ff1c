// Sends the spans of requests by OTLP to a collector. The libraries for that are in a module, which is loaded only if
// spans are sent. Requests never wait for the collector. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/time.hpp"
#include "native/system/log.hpp"
#include "native/telemetry/access_log.hpp"
#include "native/telemetry/otlp/portail_otlp.h"

namespace portail {

struct SpanCounts {
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;  // rejected by the collector, lost without it, or beyond the queue's limit
};

class SpanExport {
 public:
  // Loads the module and posts to `url` as the service `portail` of that version. `log` must outlive this. The error is
  // one line: the module cannot be loaded.
  static std::expected<std::unique_ptr<SpanExport>, std::string> open(std::string_view url, std::string_view version,
                                                                      Log& log);
  SpanExport(const SpanExport&) = delete;
  SpanExport& operator=(const SpanExport&) = delete;
  ~SpanExport();

  // Queues the span of an answered request, if its trace is sampled.
  void record(const LoggedRequest& request, Instant start, std::chrono::microseconds duration);
  [[nodiscard]] SpanCounts counts() const;
  // Sends pending spans for at most `timeout`, and two seconds more if a post is in flight; drops the rest. One thread;
  // no span may be recorded afterwards.
  void stop(std::chrono::milliseconds timeout);

 private:
  SpanExport(const PortailOtlpModule& module, Log& log) : module_(module), log_(log) {}
  static void on_error(void* context, PortailOtlpText why);

  const PortailOtlpModule& module_;
  Log& log_;
  std::mutex mutex_;  // guards error_throttle_
  LogThrottle error_throttle_;
  PortailOtlp* otlp_ = nullptr;
  bool stopped_ = false;
};

}  // namespace portail
