// A log that collects its lines. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.hpp"

namespace portail {

class CollectingLog final : public Log {
 public:
  // "event: detail"
  std::vector<std::string> lines;

  void warn(std::string_view event, std::string_view detail) override {
    lines.push_back(std::string(event) + ": " + std::string(detail));
  }
};

}  // namespace portail
