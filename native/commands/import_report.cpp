#include "native/commands/import_report.hpp"

#include <cstdio>
#include <string>

#include <unistd.h>

namespace portail {
namespace {

constexpr std::chrono::milliseconds between_updates{100};

void print_section(const char* name, const SectionReport& section) {
  if (!section.present) return;
  std::printf("%-16s %llu added, %llu changed, %llu unchanged, %llu removed\n", name,
              static_cast<unsigned long long>(section.added), static_cast<unsigned long long>(section.changed),
              static_cast<unsigned long long>(section.unchanged), static_cast<unsigned long long>(section.removed));
}

}  // namespace

TerminalProgress::TerminalProgress(std::uint64_t size) : size_(size), shown_(isatty(STDERR_FILENO) == 1) {}

TerminalProgress::~TerminalProgress() {
  if (written_) std::fputs("\r\033[K", stderr);
}

void TerminalProgress::advance(ImportPhase phase, std::uint64_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - last_ < between_updates) return;
  last_ = now;
  written_ = true;
  if (phase == ImportPhase::indexing) {
    std::fprintf(stderr, "\r\033[Kindexing  %llu", static_cast<unsigned long long>(done));
    return;
  }
  constexpr std::uint64_t width = 40;
  const std::uint64_t filled = size_ == 0 ? width : std::min(done, size_) * width / size_;
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  std::fprintf(stderr, "\r\033[K%s  [%s] %llu %%", phase == ImportPhase::checking ? "checking" : "writing ",
               bar.c_str(), static_cast<unsigned long long>(size_ == 0 ? 100 : std::min(done, size_) * 100 / size_));
}

void print_faults(const ImportReport& report) {
  for (const std::string& fault : report.faults) std::fprintf(stderr, "%s\n", fault.c_str());
  if (report.fault_count > report.faults.size()) {
    std::fprintf(stderr, "… and %llu more\n",
                 static_cast<unsigned long long>(report.fault_count - report.faults.size()));
  }
}

void print_summary(const ImportReport& report, bool dry_run) {
  if (dry_run) std::printf("nothing was written; the import would make:\n");
  print_section("objetsCourrier", report.mail_objects);
  print_section("tiers", report.third_parties);
  print_section("liasses", report.bundles);
  print_section("droits", report.grants);
  if (report.bundles.present) std::printf("%-16s %llu\n", "deposits", static_cast<unsigned long long>(report.deposits));
  for (const StatusCount& unknown : report.unknown_statuses) {
    std::printf("unknown status \"%s\": %llu pieces\n", unknown.status.c_str(),
                static_cast<unsigned long long>(unknown.pieces));
  }
  if (report.pieces_of_further_statuses > 0) {
    std::printf("further unknown statuses: %llu pieces\n",
                static_cast<unsigned long long>(report.pieces_of_further_statuses));
  }
  std::fflush(stdout);
}

}  // namespace portail
