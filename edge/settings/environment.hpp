// Settings from the environment of WASI.
#pragma once

#include <cstdlib>

#include "core/webassembly/settings.hpp"

namespace portail::edge {

class Environment final : public Variables {
 public:
  VariableResult find(const char* name) override {
    const char* value = std::getenv(name);
    if (!value) return std::nullopt;
    return value;
  }
};

}  // namespace portail::edge
