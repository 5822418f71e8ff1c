// Settings of a host that has an environment: WASI's.
#pragma once

#include <cstdlib>

#include "core/guest/settings.hpp"

namespace portail::edge {

class Environment final : public Variables {
 public:
  FoundVariable find(const char* name) override {
    const char* value = std::getenv(name);
    if (!value) return std::nullopt;
    return value;
  }
};

}  // namespace portail::edge
