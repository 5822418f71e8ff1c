// The core's clock, random source and log, by the module's imports.
#pragma once

#include "core/base/context.hpp"
#include "core/base/time.hpp"
#include "core/json/writer.hpp"
#include "wasm/abi/portail.h"
#include "wasm/module/encoding.hpp"

namespace portail::wasm {

class HostClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return {portail_now()}; }
};

class HostRandom final : public RandomSource {
 public:
  void fill(std::span<std::byte> bytes) override {
    portail_random(reinterpret_cast<std::uint8_t*>(bytes.data()), static_cast<std::uint32_t>(bytes.size()));
  }
};

class HostLog final : public Log {
 public:
  // `store` is the host's number of the portal's store.
  explicit HostLog(std::uint32_t store) : store_(store) {}
  void warn(std::string_view event, std::string_view detail) override {
    portail_log(store_, bytes_of(event), size_of(event), bytes_of(detail), size_of(detail));
  }
  void record(std::string_view members) override { warn("access", log_line(HostClock().now(), "info", members)); }

 private:
  std::uint32_t store_;
};

}  // namespace portail::wasm
