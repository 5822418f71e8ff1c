#include "native/commands/export_files.hpp"

#include <cstring>
#include <filesystem>
#include <utility>

namespace portail {

ExportFiles::ExportFiles(std::string output, std::string root) : output_(std::move(output)), root_(std::move(root)) {
  if (output_ == "-") {
    document_.emplace(WholeFile::standard_output());
    return;
  }
  auto begun = WholeFile::begin_or_open(output_);
  if (!begun) {
    is_done(std::unexpected(begun.error()), output_);
    return;
  }
  document_.emplace(std::move(*begun));
}

bool ExportFiles::write(std::string_view text) { return document_ && is_done(document_->write(text), output_); }

bool ExportFiles::write_template(std::string_view path, std::string_view bytes) {
  if (root_.empty()) {
    ++left_out_;
    return true;
  }
  const std::filesystem::path file = std::filesystem::path(root_) / path;
  if (!is_done(make_folders(file.parent_path()), file)) return false;
  auto begun = WholeFile::begin(file);
  if (!begun) return is_done(std::unexpected(begun.error()), file);
  if (!is_done(begun->write(bytes), file) || !is_done(begun->finish(), file)) return false;
  templates_.push_back({file, std::move(*begun)});
  return true;
}

bool ExportFiles::finish() {
  if (!document_ || !is_done(document_->finish(), output_)) return false;
  for (Template& each : templates_) {
    if (!is_done(each.file.publish(), each.path)) return false;
  }
  return is_done(document_->publish(), output_);
}

bool ExportFiles::is_done(const std::expected<void, int>& done, const std::string& file) {
  if (!done && reason_.empty()) reason_ = "cannot write " + file + ": " + std::strerror(done.error());
  return done.has_value();
}

}  // namespace portail
