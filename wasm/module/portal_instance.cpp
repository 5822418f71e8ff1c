#include "wasm/module/portal_instance.hpp"

#include <vector>

#include "core/setting_name.hpp"
#include "core/settings_table.hpp"
#include "core/suggested_setting.hpp"
#include "wasm/module/encoding.hpp"
#include "wasm/module/host_store.hpp"
#include "wasm/module/make_portal.hpp"

namespace portail::wasm {
namespace {

// The settings from the host.
class HostSettings final : public Variables {
 public:
  // The error is one line for the operator.
  static std::expected<HostSettings, std::string> decode(std::string_view bytes) {
    HostSettings variables;
    Decoder decoder(bytes);
    for (std::uint32_t left = decoder.number(); left > 0 && !decoder.faulty(); --left) {
      const std::string_view name = decoder.text();
      const std::string_view value = decoder.text();
      if (decoder.faulty()) break;
      if (const Setting* setting = find_variable(name, guest_settings); !setting || !setting->hosts.package) {
        return std::unexpected("unknown setting " + std::string(name) + suggested_module_variable(name));
      }
      variables.pairs_.push_back({name, value});
    }
    if (!decoder.complete()) return std::unexpected("the settings are not encoded as wasm/abi/portail.h says");
    return variables;
  }

  VariableResult find(const char* name) override {
    for (const Pair& pair : pairs_) {
      if (pair.name == name) return std::string(pair.value);
    }
    return std::nullopt;
  }

 private:
  struct Pair {
    std::string_view name;
    std::string_view value;
  };
  std::vector<Pair> pairs_;
};

}  // namespace

std::expected<std::unique_ptr<PortalInstance>, std::string> PortalInstance::create(std::uint32_t store,
                                                                                   std::string_view settings) {
  auto variables = HostSettings::decode(settings);
  if (!variables) return std::unexpected(std::move(variables.error()));
  std::unique_ptr<PortalInstance> created(new PortalInstance(store));
  auto handler =
      make_portal(created->random_, *variables, std::make_unique<HostStore>(store, created->log_), created->client_);
  if (!handler) return std::unexpected(std::move(handler.error()));
  created->handler_ = std::move(*handler);
  return created;
}

Context PortalInstance::context(FrameArena& frames) {
  return {.clock = clock_, .random = random_, .log = log_, .frames = frames};
}

void PortalInstance::after_answer() {
  FrameArena frames;
  Context ended = context(frames);
  handler_->after_answer(ended);
}

}  // namespace portail::wasm
