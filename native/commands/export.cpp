#include "core/exchange/export.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/task.hpp"
#include "native/commands/command.hpp"
#include "native/commands/export_values.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view document_format = "document";
constexpr std::string_view default_label = "default";
const std::map<std::string, ValueFormat> value_formats = {
    {"spin-sqlite", ValueFormat::spin_sqlite}, {"redis", ValueFormat::redis}, {"json-lines", ValueFormat::json_lines}};

struct ExportArguments {
  std::string output = "-";
  std::string root;
  std::string format{document_format};
  std::optional<std::string> label;
};

// The document to a file or standard output, template files beneath `root`. The document appears under its name only
// when it is whole.
class FileSink final : public ExportSink {
 public:
  FileSink(const std::string& output, fs::path root) : output_(output), root_(std::move(root)) {
    file_ = output == "-" ? stdout : std::fopen(unfinished().c_str(), "wb");
    if (!file_) remember(unfinished());
  }
  ~FileSink() override {
    if (!file_ || file_ == stdout) return;
    std::fclose(file_);
    std::remove(unfinished().c_str());
  }

  bool write(std::string_view text) override {
    if (file_ && std::fwrite(text.data(), 1, text.size(), file_) == text.size()) return true;
    if (reason_.empty()) remember(output_);
    return false;
  }

  bool write_template(std::string_view path, std::string_view bytes) override {
    if (root_.empty()) {
      ++left_out_;
      return true;
    }
    const fs::path file = root_ / path;
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    std::ofstream output(file, std::ios::binary);
    output.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    output.close();
    if (!output) remember(file.string());
    return !output.fail();
  }

  bool finish() {
    bool done = file_ && std::fflush(file_) == 0;
    if (done && file_ != stdout) {
      done = std::fclose(file_) == 0;
      file_ = nullptr;
      done = done && std::rename(unfinished().c_str(), output_.c_str()) == 0;
    }
    if (!done && reason_.empty()) remember(output_);
    return done;
  }

  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  [[nodiscard]] std::string unfinished() const { return output_ + ".unfinished"; }
  void remember(const std::string& file) { reason_ = "cannot write " + file + ": " + std::strerror(errno); }

  std::string output_;
  fs::path root_;
  std::FILE* file_ = nullptr;
  std::string reason_;
  std::uint64_t left_out_ = 0;
};

// What the command line asks for, where that is not the document.
std::expected<std::optional<ValueFormat>, Fault> value_format(const ExportArguments& arguments) {
  const auto found = value_formats.find(arguments.format);
  if (found == value_formats.end() && arguments.format != document_format) {
    return wrong_usage("--format: " + arguments.format + " is none of document, spin-sqlite, redis, json-lines");
  }
  if (arguments.label && (found == value_formats.end() || found->second != ValueFormat::spin_sqlite)) {
    return wrong_usage("--label names a store of Spin: it goes with --format spin-sqlite only");
  }
  if (found == value_formats.end()) return std::nullopt;
  if (!arguments.root.empty()) {
    return wrong_usage("--root is for the template files of a document: in this format they are values like others");
  }
  return found->second;
}

std::expected<void, Fault> run_export(const ExportArguments& arguments, const SettingValues& values) {
  const auto format = value_format(arguments);
  if (!format) return std::unexpected(format.error());
  auto portal = open_portal(values, StoreAccess::read);
  if (!portal) return std::unexpected(portal.error());
  fs::path root = arguments.root;
  if (root.empty() && arguments.output != "-") root = fs::absolute(arguments.output).parent_path();
  FileSink sink(arguments.output, root);
  if (!sink.reason().empty()) return failure(sink.reason());
  CommandContext command;
  const std::string label = arguments.label.value_or(std::string(default_label));
  const auto done = run_ready(*format ? export_values(command.context, *portal->store, **format, label, sink)
                                      : export_document(command.context, *portal->store, sink));
  if (!done && !sink.reason().empty()) return failure(sink.reason());
  if (!done) return failure("the export stopped: " + command.remarks.text_or(describe(done.error())));
  if (!sink.finish()) return failure(sink.reason());
  if (sink.left_out() > 0) {
    tell("left out " + std::to_string(sink.left_out()) +
         " template files: give --output or --root to have them written");
  }
  return {};
}

}  // namespace

Command export_command() {
  auto arguments = std::make_shared<ExportArguments>();
  return {.name = "export",
          .help = "Write the document that an import would make this store of, or its keys and values",
          .settings = {"store"},
          .options = {{.name = "--output",
                       .help = "A file, its template files beside it; - for standard output",
                       .field = &arguments->output},
                      {.name = "--root", .help = "Where the template files go instead", .field = &arguments->root},
                      {.name = "--format",
                       .help = "document, or the stored keys and values: spin-sqlite, redis, json-lines",
                       .field = &arguments->format},
                      {.name = "--label",
                       .help = "spin-sqlite: the label of Spin's store",
                       .field = &arguments->label,
                       .shown_default = std::string(default_label)}},
          .run = [arguments](const SettingValues& values) { return run_export(*arguments, values); }};
}

}  // namespace portail
