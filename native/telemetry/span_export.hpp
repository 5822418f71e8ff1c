// The spans of requests, sent by OTLP to a collector. The libraries that it takes are those of a module, which is
// loaded only where spans are sent. A request never waits for the collector. Any thread.
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
#include "native/host/access_log.hpp"
#include "native/host/once_a_minute.hpp"
#include "native/telemetry/otlp/portail_otlp.h"

namespace portail {

struct SpanCounts {
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;  // refused by the collector, or in its absence, or one too many of those that wait
};

class SpanExport {
 public:
  // Posts to `url`, as the service `portail` of that version. `log` outlives it. An error is why there is no module to
  // send with, in one line.
  static std::expected<std::unique_ptr<SpanExport>, std::string> open(std::string_view url, std::string_view version,
                                                                      Log& log);
  SpanExport(const SpanExport&) = delete;
  SpanExport& operator=(const SpanExport&) = delete;
  ~SpanExport();

  // A request that was answered; nothing where its trace is not sampled.
  void record(const LoggedRequest& request, Instant began, std::chrono::microseconds spent);
  [[nodiscard]] SpanCounts counts() const;
  // Sends what waits, for that long at most, and two seconds more where a post is under way, and drops the rest. One
  // thread; nothing is recorded after it.
  void stop(std::chrono::milliseconds longest);

 private:
  SpanExport(const PortailOtlpModule& module, Log& log) : module_(module), log_(log) {}
  static void remark(void* context, PortailOtlpText why);

  const PortailOtlpModule& module_;
  Log& log_;
  std::mutex mutex_;  // for untaken_
  OnceAMinute untaken_;
  PortailOtlp* otlp_ = nullptr;
  bool stopped_ = false;
};

}  // namespace portail
