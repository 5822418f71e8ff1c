// Settings of a host that has an environment: WASI's.
#pragma once

#include "core/guest/settings.hpp"

namespace portail::edge {

class Environment final : public Variables {
 public:
  FoundVariable find(const char* name) override;
};

}  // namespace portail::edge
