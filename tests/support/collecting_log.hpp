// A log that collects its lines. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.hpp"

namespace portail {

class CollectingLog final : public Log {
 public:
  // "event: detail" of warnings
  std::vector<std::string> lines;
  // The members of records.
  std::vector<std::string> records;

  void warn(std::string_view event, std::string_view detail) override {
    lines.push_back(std::string(event) + ": " + std::string(detail));
  }
  void record(std::string_view members) override { records.emplace_back(members); }
};

}  // namespace portail
