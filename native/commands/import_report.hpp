// What a person at a terminal sees of an import: how far it is, and what came of it. One thread.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/exchange/import.hpp"

namespace portail {

// One line that is rewritten, on standard error, where that is a terminal; else nothing.
class TerminalProgress final : public ImportProgress {
 public:
  // `size`: the document's bytes.
  explicit TerminalProgress(std::uint64_t size);
  ~TerminalProgress() override;
  void advance(ImportPhase phase, std::uint64_t done) override;

 private:
  std::uint64_t size_;
  bool shown_;
  bool written_ = false;
  std::chrono::steady_clock::time_point last_{};
};

// Faults on standard error, one a line.
void print_faults(const ImportReport& report);
// What came of an import without faults, on standard output.
void print_summary(const ImportReport& report, bool dry_run);

}  // namespace portail
