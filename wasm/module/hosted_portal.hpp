// A portal as the host made it, over a store of the host's.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/guest/portal.hpp"
#include "wasm/module/system.hpp"

namespace portail::wasm {

class HostedPortal {
 public:
  // `settings` in the encoding of wasm/abi/portail.h. The error is one line for the operator.
  static std::expected<std::unique_ptr<HostedPortal>, std::string> make(std::uint32_t store, std::string_view settings);

  std::uint32_t number = 0;  // the host's for it

  [[nodiscard]] Context context(FrameArena& frames);
  [[nodiscard]] Portal& portal() { return portal_; }

 private:
  HostedPortal(std::uint32_t store, PortalSettings settings);

  HostClock clock_;
  HostRandom random_;
  HostLog log_;
  Portal portal_;
};

}  // namespace portail::wasm
