// Settings from wasi:config. The versions of the interface differ only in their numbers: a component selects one by the
// functions of its bindings.
#pragma once

#include <string>
#include <string_view>

#include "core/base/text.hpp"
#include "edge/host/owned.hpp"
#include "edge/settings/environment.hpp"

namespace portail::edge {

// Returns the host's value of `name`, or the host's error. `get` is the interface's function, the others free its
// results.
template <class String, class Found, class Error>
VariableResult read_configuration(std::string_view name, bool (*get)(String*, Found*, Error*),
                                  void (*free_found)(Found*), void (*free_error)(Error*)) {
  constexpr auto upstream = 0;  // the first case of the interface's variant `error`
  auto key = list_of<String>(name);
  Found found{};
  Error error{};
  if (!get(&key, &found, &error)) {
    std::string reason(view_of(error.tag == upstream ? error.val.upstream : error.val.io));
    free_error(&error);
    return std::unexpected(std::move(reason));
  }
  VariableResult value;
  if (found.is_some) value = std::string(view_of(found.val));
  free_found(&found);
  return value;
}

// Settings from the host's configuration, under their names in lower case, as Spin requires. If the name is absent or
// its value is empty, as in a manifest, the environment's value is used.
template <auto get, auto free_found, auto free_error>
class Configuration : public Variables {
 public:
  VariableResult find(const char* name) override {
    std::string lower = lower_case(name);
    auto value = read_configuration(lower, get, free_found, free_error);
    if (!value) {
      return std::unexpected(lower.append(" cannot be read from the host's configuration: ").append(value.error()));
    }
    if (*value && !(*value)->empty()) return value;
    return environment_.find(name);
  }

 private:
  Environment environment_;
};

// The same for Spin, whose manifests name the variables without the prefix (edge/spin/spin.toml).
template <auto get, auto free_found, auto free_error>
class SpinVariables final : public Configuration<get, free_found, free_error> {
 public:
  [[nodiscard]] std::string shown(std::string_view name) const override {
    constexpr std::string_view prefix = "PORTAIL_";
    return "the variable " + lower_case(name.substr(prefix.size()));
  }
};

}  // namespace portail::edge
