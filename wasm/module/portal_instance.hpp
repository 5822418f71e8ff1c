// The portal of a module's instance.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "core/base/context.hpp"
#include "core/http/response.hpp"
#include "core/storage/key_value_store.hpp"
#include "core/webassembly/http_client.hpp"
#include "core/webassembly/settings.hpp"
#include "wasm/module/host_client.hpp"
#include "wasm/module/system.hpp"

namespace portail::wasm {

// What a portal of the module is: the public interface, or the management interface. A module is linked with
// portail_module_portal or portail_module_management, each of which defines make_portal().

// Creates the handler of requests. `random` is not used afterwards; `client` must outlive the result. The error is one
// line for the operator.
std::expected<std::unique_ptr<Handler>, std::string> make_portal(RandomSource& random, Variables& variables,
                                                                 std::unique_ptr<KeyValueStore> store,
                                                                 HttpClient& client);

// A portal that the host has created over one of its stores.

class PortalInstance {
 public:
  // `settings` in the encoding of wasm/abi/portail.h. The error is one line for the operator.
  // `open` returns the store, which writes to the given log.
  using OpenStore = std::function<std::expected<std::unique_ptr<KeyValueStore>, std::string>(Log& log)>;
  static std::expected<std::unique_ptr<PortalInstance>, std::string> create(std::uint32_t store, const OpenStore& open,
                                                                            std::string_view settings);

  std::uint32_t handle = 0;  // in Instance::portals

  [[nodiscard]] Context context(FrameArena& frames);
  [[nodiscard]] Handler& handler() { return *handler_; }
  // Returns whether a request may begin while that many bytes are in use; a change is logged.
  bool accepts_request(std::size_t heap_in_use);
  // Must be called after each request.
  void after_answer();

 private:
  explicit PortalInstance(std::uint32_t store) : log_(store), client_(store) {}

  HostClock clock_;
  HostRandom random_;
  HostLog log_;
  bool is_full_ = false;  // the last request was refused, which was logged
  HostClient client_;
  std::unique_ptr<Handler> handler_;  // uses the members above
};

}  // namespace portail::wasm
