// The filter of `portail audit`. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.hpp"
#include "core/json/reader.hpp"
#include "native/command_line/command_line.hpp"

namespace portail {

// The arguments as typed; empty if absent.
struct AuditFilterArguments {
  std::string since;
  std::string until;
  std::string subject;
  std::string client;
  std::string action;
  std::string correlation_id;
  std::optional<std::int64_t> mail_object;
};
std::vector<CommandOption> audit_filter_options(AuditFilterArguments& arguments);

class AuditFilter {
 public:
  // A fault is wrong usage. The arguments must outlive the filter.
  static std::expected<AuditFilter, Fault> make(const AuditFilterArguments& arguments);

  [[nodiscard]] bool matches(JsonObject record) const;

 private:
  explicit AuditFilter(const AuditFilterArguments& arguments) : arguments_(arguments) {}

  const AuditFilterArguments& arguments_;
  std::string since_;  // in the format of records, so they compare as text
  std::string until_;
};

}  // namespace portail
