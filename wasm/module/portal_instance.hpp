// A portal that the host has created over one of its stores.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "core/guest/portal.hpp"
#include "wasm/module/host_client.hpp"
#include "wasm/module/system.hpp"

namespace portail::wasm {

class PortalInstance {
 public:
  // `settings` in the encoding of wasm/abi/portail.h. The error is one line for the operator.
  static std::expected<std::unique_ptr<PortalInstance>, std::string> create(std::uint32_t store,
                                                                            std::string_view settings);

  std::uint32_t handle = 0;  // in Instance::portals

  [[nodiscard]] Context context(FrameArena& frames);
  [[nodiscard]] Portal& portal() { return portal_; }
  // Must be called after each request.
  void after_answer();

 private:
  PortalInstance(std::uint32_t store, PortalSettings settings);

  HostClock clock_;
  HostRandom random_;
  HostLog log_;
  HostClient client_;
  Portal portal_;
};

}  // namespace portail::wasm
