// Where an export goes: the document to a file or standard output, template files beneath a folder. Nothing has its
// name before all is written; an export that fails leaves what was there. Files that are there are replaced only where
// that was asked for. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/export.hpp"
#include "native/host/progress_bar.hpp"
#include "native/host/whole_file.hpp"

namespace portail {

class ExportFiles final : public ExportSink {
 public:
  // `output` is a file, or "-" for standard output; where `root` is empty, template files are counted and left out. How
  // far it is stands on standard error, where that is a terminal and the document goes elsewhere.
  ExportFiles(std::string output, std::string root, bool overwrites);

  bool write(std::string_view text) override;
  bool write_template(std::string_view path, std::string_view bytes) override;

  // Gives everything its name, the document last. Once, when all is written.
  bool finish();

  // Why something of the above was false: one line.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // Template files that were written, or that held the same bytes already, and those left out.
  [[nodiscard]] std::uint64_t template_files() const { return template_files_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  struct Template {
    std::string path;
    WholeFile file;
  };

  // Whether it was done; remembers why not.
  bool is_done(const std::expected<void, int>& done, const std::string& file);
  // Counts what is written.
  void advance(std::size_t bytes);
  // Always false.
  bool refuse_to_replace(const std::string& file);

  std::string output_;
  std::string root_;
  bool overwrites_;
  std::optional<ProgressBar> progress_;  // until the last line is to be written
  std::uint64_t bytes_ = 0;
  std::optional<WholeFile> document_;
  std::vector<Template> templates_;
  std::string reason_;
  std::uint64_t template_files_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace portail
