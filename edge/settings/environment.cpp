#include "edge/settings/environment.hpp"

#include <cstdlib>

namespace portail::edge {

FoundVariable Environment::find(const char* name) {
  const char* value = std::getenv(name);
  if (!value) return std::nullopt;
  return value;
}

}  // namespace portail::edge
