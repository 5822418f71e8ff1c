#include "native/commands/export_files.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <unistd.h>

namespace portail {

namespace {

namespace fs = std::filesystem;

// A link that leads nowhere is there too.
bool is_there(const std::string& file) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(file, ignored));
}

bool holds(const std::string& file, std::string_view bytes) {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(file, failed)) || fs::file_size(file, failed) != bytes.size())
    return false;
  std::ifstream stream(file, std::ios::binary);
  std::string found(bytes.size(), '\0');
  return stream.read(found.data(), static_cast<std::streamsize>(found.size())) && found == bytes;
}

}  // namespace

ExportFiles::ExportFiles(std::string output, std::string root, bool overwrites)
    : output_(std::move(output)),
      root_(std::move(root)),
      overwrites_(overwrites),
      progress_(std::in_place, output_ != "-" || isatty(STDOUT_FILENO) == 0) {
  if (output_ == "-") {
    document_.emplace(WholeFile::standard_output());
    return;
  }
  std::error_code ignored;
  if (!overwrites_ && fs::is_regular_file(output_, ignored)) {
    refuse_to_replace(output_);
    return;
  }
  auto begun = WholeFile::begin_or_open(output_);
  if (!begun) {
    is_done(std::unexpected(begun.error()), output_);
    return;
  }
  document_.emplace(std::move(*begun));
}

void ExportFiles::advance(std::size_t bytes) {
  bytes_ += bytes;
  if (progress_) progress_->show("exporting, KiB written:", bytes_ >> 10);
}

bool ExportFiles::write(std::string_view text) {
  advance(text.size());
  return document_ && is_done(document_->write(text), output_);
}

bool ExportFiles::write_template(std::string_view path, std::string_view bytes) {
  if (root_.empty()) {
    ++left_out_;
    return true;
  }
  const fs::path file = fs::path(root_) / path;
  ++template_files_;
  advance(bytes.size());
  if (!overwrites_ && holds(file, bytes)) return true;
  if (!overwrites_ && is_there(file)) return refuse_to_replace(file);
  if (!is_done(make_folders(file.parent_path()), file)) return false;
  auto begun = WholeFile::begin(file);
  if (!begun) return is_done(std::unexpected(begun.error()), file);
  if (!is_done(begun->write(bytes), file) || !is_done(begun->finish(), file)) return false;
  templates_.push_back({file, std::move(*begun)});
  return true;
}

bool ExportFiles::finish() {
  progress_.reset();
  if (!document_ || !is_done(document_->finish(), output_)) return false;
  for (Template& each : templates_) {
    if (!is_done(each.file.publish(), each.path)) return false;
  }
  return is_done(document_->publish(), output_);
}

bool ExportFiles::refuse_to_replace(const std::string& file) {
  reason_ = file + " is there already: choose another place, or give --overwrite";
  return false;
}

bool ExportFiles::is_done(const std::expected<void, int>& done, const std::string& file) {
  if (!done && reason_.empty()) {
    const std::string place = file == "-" ? "to standard output" : file;
    reason_ = "cannot write " + place + ": " + std::strerror(done.error());
  }
  return done.has_value();
}

}  // namespace portail
