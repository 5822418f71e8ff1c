// The files of an export: the document to a file or standard output, template files to a directory. All files are
// published after the last write; a failed export leaves existing files unchanged. Existing files are replaced only on
// request. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/export.hpp"
#include "native/system/atomic_file.hpp"
#include "native/system/terminal.hpp"

namespace portail {

class ExportFiles final : public ExportSink {
 public:
  // `output` is a file, or "-" for standard output. If `root` is empty, template files are skipped and counted.
  // Progress is shown on standard error if it is a terminal and the document is not printed on one.
  ExportFiles(std::string output, std::string root, bool overwrite);

  bool write(std::string_view text) override;
  bool write_template(std::string_view path, std::string_view bytes) override;

  // Discards all that was written. Returns false, with a reason or without, if that is impossible: a reader of standard
  // output may have it already.
  bool restart();
  // Publishes all files, the document last. Call it once, after the last write.
  bool finish();

  // The reason of the last failure, one line.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  // Numbers of template files: written or unchanged, and skipped.
  [[nodiscard]] std::uint64_t template_files() const { return template_files_; }
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  struct Template {
    std::string path;
    AtomicFile file;
  };

  // Whether `done` is a success; else sets the reason.
  bool succeeded(const std::expected<void, int>& done, const std::string& file);
  // Adds to the progress.
  void advance(std::size_t bytes);
  // Sets the reason; always returns false.
  bool fail_existing(const std::string& file);

  std::string output_;
  std::string root_;
  bool overwrite_;
  std::optional<ProgressBar> progress_;  // reset before the last line is printed
  std::uint64_t bytes_ = 0;
  std::optional<AtomicFile> document_;
  std::vector<Template> templates_;
  std::string reason_;
  std::uint64_t template_files_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace portail
