// Reports an import: progress on a terminal, and results as text or JSON. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/exchange/import.hpp"
#include "native/system/progress_bar.hpp"

namespace portail {

class ImportProgressBar final : public ImportProgress {
 public:
  // `size` is that of the document, in bytes. If `shown` is false, no progress is shown on a terminal either.
  ImportProgressBar(std::uint64_t size, bool shown) : size_(size), bar_(shown) {}
  void advance(ImportPhase phase, std::uint64_t done) override;

 private:
  std::uint64_t size_;
  ProgressBar bar_;
};

// Prints a line for each change: "changed liasses \"L-1\": nomDossier, piecesAttendues".
class TextChanges final : public ImportChangeListener {
 public:
  void on_change(const EntityChange& change) override;
};

// Prints a line of JSON for each change: {"change":"changed","section":"liasses","entity":"L-1","members":[…]}.
class JsonChanges final : public ImportChangeListener {
 public:
  void on_change(const EntityChange& change) override;
};

// Prints faults on standard error, one a line.
void print_faults(const ImportReport& report);
// Prints the result of an import without faults on standard output.
void print_summary(const ImportReport& report, bool dry_run);
// Prints the result and the faults of an import as one JSON object on standard output.
void print_json(const ImportReport& report, bool dry_run);

}  // namespace portail
