// The results of `portail check`: printed as rows immediately, or as one JSON object at the end. One thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "core/exchange/contents.hpp"
#include "native/check/check_token.hpp"
#include "native/settings/fault.hpp"
#include "native/system/terminal.hpp"

namespace portail {

struct ShownSetting {
  std::string_view name;
  std::string value;
  std::string_view unit;
  std::string source;
};

class CheckReport {
 public:
  explicit CheckReport(bool json) : json_(json) {}

  // `name` is a constant. `remedy` is what to do; empty if there is nothing to do, or `detail` has it.
  void add(std::string_view name, Severity severity, std::string detail, std::string_view remedy = {});
  // A failed check whose fault stands by itself; its message is the detail.
  void add_failure(std::string_view name, Fault fault);
  void add_settings(std::vector<ShownSetting> settings);
  void add_token(TokenExplanation explanation);
  void add_note(std::string text);
  void add_contents(const StoreContents& contents);

  [[nodiscard]] bool has_failed() const { return fault_.has_value(); }
  [[nodiscard]] bool has_wrong_usage() const { return fault_ && fault_->status == ExitStatus::wrong_usage; }

  // Prints the rest and returns the first fault. Call it last.
  std::expected<void, Fault> finish();

 private:
  struct Check {
    std::string_view name;
    Severity severity;
    std::string detail;
    std::string remedy;
  };

  void add_check(Check check);
  void fail(std::string_view name, Fault fault);
  [[nodiscard]] std::string json() const;

  bool json_;
  bool has_terminal_ = !json_ && isatty(STDOUT_FILENO) == 1;
  Severity worst_ = Severity::ok;
  std::vector<Check> checks_;
  std::vector<std::string> notes_;
  std::vector<ShownSetting> settings_;
  std::optional<StoreContents> contents_;
  std::optional<TokenExplanation> token_;
  std::optional<Fault> fault_;
  std::string failed_;  // names of failed checks
};

}  // namespace portail
