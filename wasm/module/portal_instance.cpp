#include "wasm/module/portal_instance.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/settings/guest_settings.hpp"
#include "core/settings/settings_check.hpp"
#include "wasm/module/encoding.hpp"
#include "wasm/module/heap.hpp"

namespace portail::wasm {
namespace {

constexpr auto variables_of_package = [] {
  constexpr auto is_read = [](const Setting& row) { return row.hosts.package; };
  std::array<std::string_view, std::ranges::count_if(guest_settings, is_read)> names;
  std::size_t count = 0;
  for (const Setting& row : guest_settings) {
    if (is_read(row)) names[count++] = row.variable;
  }
  return names;
}();

// The settings from the host.
class HostSettings final : public Variables {
 public:
  // The error is one line for the operator.
  static std::expected<HostSettings, std::string> decode(std::string_view bytes) {
    HostSettings variables;
    VariableCheck check(variables_of_package);
    Decoder decoder(bytes);
    for (std::uint32_t left = decoder.number(); left > 0 && !decoder.faulty(); --left) {
      const std::string_view name = decoder.text();
      const std::string_view value = decoder.text();
      if (decoder.faulty()) break;
      if (auto checked = check.check(name, value); !checked) return std::unexpected(std::move(checked.error()));
      variables.pairs_.push_back({name, value});
    }
    if (!decoder.complete()) return std::unexpected("the settings are not encoded as wasm/abi/portail.h says");
    variables.ignored_ = check.ignored();
    return variables;
  }
  // The names that are ignored; empty if there are none.
  [[nodiscard]] const std::string& ignored() const { return ignored_; }

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
  std::string ignored_;
};

}  // namespace

std::expected<std::unique_ptr<PortalInstance>, std::string> PortalInstance::create(std::uint32_t store,
                                                                                   const OpenStore& open,
                                                                                   std::string_view settings) {
  auto variables = HostSettings::decode(settings);
  if (!variables) return std::unexpected(std::move(variables.error()));
  std::unique_ptr<PortalInstance> created(new PortalInstance(store));
  auto opened = open(created->log_);
  if (!opened) return std::unexpected(std::move(opened.error()));
  auto handler = make_portal(created->random_, *variables, std::move(*opened), created->client_);
  if (!handler) return std::unexpected(std::move(handler.error()));
  created->handler_ = std::move(*handler);
  if (!variables->ignored().empty()) {
    created->log_.warn("variables of an orchestrator are ignored", variables->ignored());
  }
  return created;
}

Context PortalInstance::context(FrameArena& frames) {
  return {.clock = clock_, .random = random_, .log = log_, .frames = frames};
}

bool PortalInstance::accepts_request(std::size_t heap_in_use) {
  const bool was_full = std::exchange(is_full_, heap_in_use > max_heap_for_requests);
  if (is_full_ && !was_full) {
    log_.warn("requests are refused: the module's memory is full", std::to_string(heap_in_use >> 20) + " MiB");
  }
  return !is_full_;
}

void PortalInstance::after_answer() {
  FrameArena frames;
  Context ended = context(frames);
  handler_->after_answer(ended);
}

}  // namespace portail::wasm
