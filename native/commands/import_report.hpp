// What is said of an import: how far it is, to a person at a terminal, and what came of it, to programs too. One
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/exchange/import.hpp"
#include "native/host/progress_bar.hpp"

namespace portail {

class TerminalProgress final : public ImportProgress {
 public:
  // `size`: the document's bytes. Where it is not to be shown, there is none on a terminal either.
  TerminalProgress(std::uint64_t size, bool shown) : size_(size), bar_(shown) {}
  void advance(ImportPhase phase, std::uint64_t done) override;

 private:
  std::uint64_t size_;
  ProgressBar bar_;
};

// A line for each on standard output, "changed liasses \"L-1\": nomDossier, piecesAttendues".
class PrintedChanges final : public ImportChanges {
 public:
  void note(Section section, ChangeKind kind, std::string_view entity,
            std::span<const std::string_view> members) override;
};

// A JSON object for each, on a line of its own: {"change":"changed","section":"liasses","entity":"L-1","members":[…]}.
class JsonChanges final : public ImportChanges {
 public:
  void note(Section section, ChangeKind kind, std::string_view entity,
            std::span<const std::string_view> members) override;
};

// Faults on standard error, one a line.
void print_faults(const ImportReport& report);
// What came of an import without faults, on standard output.
void print_summary(const ImportReport& report, bool dry_run);
// What came of an import, its faults included, as one JSON object on standard output.
void print_json(const ImportReport& report, bool dry_run);

}  // namespace portail
