#include "edge/portal/environment_variable.hpp"

#include <cstdlib>

namespace portail::edge {

FoundVariable environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value) return std::nullopt;
  return value;
}

}  // namespace portail::edge
