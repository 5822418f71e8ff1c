// Judges the environment variables PORTAIL_… of a host: settings, those that an orchestrator adds, which are ignored,
// and unknown ones, which are refused (docs/reference/settings.md). One thread.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace portail {

class VariableCheck {
 public:
  // `known` has the variables that the host reads, and must outlive this.
  explicit VariableCheck(std::span<const std::string_view> known) : known_(known) {}

  // Judges one variable. The error is one line for the operator, such as "unknown setting PORTAIL_AUDIANCE; did you
  // mean PORTAIL_AUDIENCE?"; it never has the value.
  std::expected<void, std::string> check(std::string_view name, std::string_view value);
  // Judges those of the null-terminated `environment` whose names begin with PORTAIL_.
  std::expected<void, std::string> check_environment(const char* const* environment);

  // Returns the names of the ignored variables so far, apart by ", ".
  [[nodiscard]] const std::string& ignored() const { return ignored_; }

 private:
  std::span<const std::string_view> known_;
  std::string ignored_;
};

}  // namespace portail
