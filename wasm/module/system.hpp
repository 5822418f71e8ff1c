// What the core asks of a machine, through the imports: the time, unpredictable bytes, a log.
#pragma once

#include "core/base/context.hpp"
#include "core/base/time.hpp"

namespace portail::wasm {

class HostClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
};

class HostRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override;
};

class HostLog final : public Log {
 public:
  // `store` is the host's number of a portal's store.
  explicit HostLog(std::uint32_t store) : store_(store) {}
  void warn(std::string_view event, std::string_view detail) override;

 private:
  std::uint32_t store_;
};

}  // namespace portail::wasm
