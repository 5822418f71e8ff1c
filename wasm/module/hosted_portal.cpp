#include "wasm/module/hosted_portal.hpp"

#include <vector>

#include "core/settings_table.hpp"
#include "wasm/module/encoding.hpp"
#include "wasm/module/host_store.hpp"

namespace portail::wasm {
namespace {

// The settings that the host handed over.
class GivenVariables final : public Variables {
 public:
  // The error is one line for the operator.
  static std::expected<GivenVariables, std::string> decode(std::string_view bytes) {
    GivenVariables variables;
    Decoder decoder(bytes);
    for (std::uint32_t left = decoder.number(); left > 0 && !decoder.faulty(); --left) {
      const std::string_view name = decoder.text();
      const std::string_view value = decoder.text();
      if (decoder.faulty()) break;
      if (const Setting* setting = find_variable(name, guest_settings); !setting || !setting->hosts.package) {
        return std::unexpected(std::string("there is no setting ").append(name));
      }
      variables.pairs_.push_back({name, value});
    }
    if (!decoder.complete()) return std::unexpected("the settings are not encoded as wasm/abi/portail.h says");
    return variables;
  }

  FoundVariable find(const char* name) override {
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

HostedPortal::HostedPortal(std::uint32_t store, PortalSettings settings)
    : log_(store), portal_(random_, std::move(settings), std::make_unique<HostStore>(store, log_)) {}

std::expected<std::unique_ptr<HostedPortal>, std::string> HostedPortal::make(std::uint32_t store,
                                                                             std::string_view settings) {
  auto variables = GivenVariables::decode(settings);
  if (!variables) return std::unexpected(std::move(variables.error()));
  auto read = read_settings(*variables);
  if (!read) return std::unexpected(std::move(read.error()));
  std::unique_ptr<HostedPortal> made(new HostedPortal(store, std::move(*read)));
  return made;
}

Context HostedPortal::context(FrameArena& frames) {
  return {.clock = clock_, .random = random_, .log = log_, .frames = frames};
}

}  // namespace portail::wasm
