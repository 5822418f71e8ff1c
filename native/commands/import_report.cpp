#include "native/commands/import_report.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include <unistd.h>

#include "native/host/terminal.hpp"

namespace portail {
namespace {

constexpr std::chrono::milliseconds between_updates{100};

void print_section(const char* name, const SectionReport& section) {
  if (!section.present) return;
  print_row(name, std::to_string(section.added) + " added, " + std::to_string(section.changed) + " changed, " +
                      std::to_string(section.unchanged) + " unchanged, " + std::to_string(section.removed) +
                      " removed");
}

}  // namespace

TerminalProgress::TerminalProgress(std::uint64_t size, bool shown)
    : size_(size), shown_(shown && isatty(STDERR_FILENO) == 1) {}

TerminalProgress::~TerminalProgress() {
  if (written_) rewrite_line("");
}

void TerminalProgress::advance(ImportPhase phase, std::uint64_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - last_ < between_updates) return;
  last_ = now;
  written_ = true;
  if (phase == ImportPhase::indexing) {
    rewrite_line("indexing  " + std::to_string(done));
    return;
  }
  constexpr std::uint64_t width = 40;
  const std::uint64_t filled = size_ == 0 ? width : std::min(done, size_) * width / size_;
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  rewrite_line((phase == ImportPhase::checking ? "checking  [" : "writing   [") + bar + "] " +
               std::to_string(size_ == 0 ? 100 : std::min(done, size_) * 100 / size_) + " %");
}

void PrintedChanges::note(Section section, ChangeKind kind, std::string_view entity,
                          std::span<const std::string_view> members) {
  std::string line = kind == ChangeKind::added ? "added" : kind == ChangeKind::changed ? "changed" : "removed";
  line.append(" ").append(name_of(section)).append(" ").append(entity);
  for (const std::string_view& member : members) line.append(&member == &members.front() ? ": " : ", ").append(member);
  std::ranges::replace(line, '\t', ' ');  // between the words of a grant
  print_line(stdout, line);
}

void print_faults(const ImportReport& report) {
  for (const std::string& fault : report.faults) print_line(stderr, fault);
  if (report.fault_count > report.faults.size()) {
    print_line(stderr, "… and " + std::to_string(report.fault_count - report.faults.size()) + " more");
  }
}

void print_summary(const ImportReport& report, bool dry_run) {
  if (dry_run) print_line(stdout, "nothing was written; the import would make:");
  print_section("objetsCourrier", report.mail_objects);
  print_section("tiers", report.third_parties);
  print_section("liasses", report.bundles);
  print_section("droits", report.grants);
  if (report.bundles.present) print_row("deposits", std::to_string(report.deposits));
  for (const StatusCount& unknown : report.unknown_statuses) {
    print_line(stdout, "unknown status \"" + unknown.status + "\": " + std::to_string(unknown.pieces) + " pieces");
  }
  if (report.pieces_of_further_statuses > 0) {
    print_line(stdout, "further unknown statuses: " + std::to_string(report.pieces_of_further_statuses) + " pieces");
  }
  std::fflush(stdout);
}

}  // namespace portail
