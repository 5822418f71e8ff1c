// Settings of a host that has wasi:config. Hosts have it in different versions, which are the same but for their
// numbers: a component says which by the functions of its bindings.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "core/base/text.hpp"
#include "edge/host/lists.hpp"
#include "edge/settings/environment.hpp"

namespace portail::edge {

// What the host says of `name`; the error is its own. `get` is the interface's function, the others free what it gives.
template <class String, class Found, class Error>
FoundVariable configured(std::string_view name, bool (*get)(String*, Found*, Error*), void (*free_found)(Found*),
                         void (*free_error)(Error*)) {
  constexpr auto upstream = 0;  // the first case of the interface's variant `error`
  auto key = list_of<String>(name);
  Found found{};
  Error error{};
  if (!get(&key, &found, &error)) {
    std::string reason(view_of(error.tag == upstream ? error.val.upstream : error.val.io));
    free_error(&error);
    return std::unexpected(std::move(reason));
  }
  FoundVariable value;
  if (found.is_some) value = std::string(view_of(found.val));
  free_found(&found);
  return value;
}

// What the host's configuration says of a name, of PORTAIL_ISSUER under portail_issuer, which is how Spin wants it.
// Where it has no such name, or an empty value, which is a manifest's way to say none: what the environment says.
template <auto get, auto free_found, auto free_error>
class Configuration final : public Variables {
 public:
  FoundVariable find(const char* name) override {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), to_lower_ascii);
    auto value = configured(lower, get, free_found, free_error);
    if (!value) {
      return std::unexpected(lower.append(" cannot be read from the host's configuration: ").append(value.error()));
    }
    if (*value && !(*value)->empty()) return value;
    return environment_.find(name);
  }

 private:
  Environment environment_;
};

}  // namespace portail::edge
