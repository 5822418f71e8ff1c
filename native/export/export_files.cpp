#include "native/export/export_files.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <unistd.h>

#include "native/settings/fault.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

// Also true for a dangling link.
bool path_exists(const std::string& file) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(file, ignored));
}

bool has_content(const std::string& file, std::string_view bytes) {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(file, failed)) || fs::file_size(file, failed) != bytes.size())
    return false;
  std::ifstream stream(file, std::ios::binary);
  std::string found(bytes.size(), '\0');
  return stream.read(found.data(), static_cast<std::streamsize>(found.size())) && found == bytes;
}

}  // namespace

ExportFiles::ExportFiles(std::string output, std::string root, bool overwrite)
    : output_(std::move(output)),
      root_(std::move(root)),
      overwrite_(overwrite),
      progress_(std::in_place, output_ != "-" || isatty(STDOUT_FILENO) == 0) {
  if (output_ == "-") {
    document_.emplace(AtomicFile::standard_output());
    return;
  }
  std::error_code ignored;
  if (!overwrite_ && fs::is_regular_file(output_, ignored)) {
    fail_existing(output_);
    return;
  }
  auto created = AtomicFile::create_or_open(output_);
  if (!created) {
    succeeded(std::unexpected(created.error()), output_);
    return;
  }
  document_.emplace(std::move(*created));
}

void ExportFiles::advance(std::size_t bytes) {
  bytes_ += bytes;
  if (progress_) progress_->show("exporting, KiB written:", bytes_ >> 10);
}

bool ExportFiles::write(std::string_view text) {
  advance(text.size());
  return document_ && succeeded(document_->write(text), output_);
}

bool ExportFiles::write_template(std::string_view path, std::string_view bytes) {
  if (root_.empty()) {
    ++skipped_;
    return true;
  }
  const fs::path file = fs::path(root_) / path;
  ++template_files_;
  advance(bytes.size());
  if (!overwrite_ && has_content(file, bytes)) return true;
  if (!overwrite_ && path_exists(file)) return fail_existing(file);
  if (!succeeded(create_private_directories(file.parent_path()), file)) return false;
  auto created = AtomicFile::create(file);
  if (!created) return succeeded(std::unexpected(created.error()), file);
  if (!succeeded(created->write(bytes), file) || !succeeded(created->finish(), file)) return false;
  templates_.push_back({file, std::move(*created)});
  return true;
}

bool ExportFiles::restart() {
  templates_.clear();
  template_files_ = 0;
  skipped_ = 0;
  bytes_ = 0;
  if (!document_) return false;
  const auto restarted = document_->restart();
  if (!restarted) return succeeded(std::unexpected(restarted.error()), output_);
  return *restarted;
}

bool ExportFiles::finish() {
  progress_.reset();
  if (!document_ || !succeeded(document_->finish(), output_)) return false;
  for (Template& each : templates_) {
    if (!succeeded(each.file.publish(), each.path)) return false;
  }
  return succeeded(document_->publish(), output_);
}

bool ExportFiles::fail_existing(const std::string& file) {
  reason_ = file + " already exists: choose another file, or give --overwrite";
  return false;
}

bool ExportFiles::succeeded(const std::expected<void, int>& done, const std::string& file) {
  if (!done && reason_.empty()) {
    reason_ = file == "-" ? std::string(output_fault) : "cannot write " + file;
    reason_.append(": ").append(std::strerror(done.error()));
  }
  return done.has_value();
}

}  // namespace portail
