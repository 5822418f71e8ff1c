#include "core/exchange/export.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "core/base/task.hpp"
#include "core/exchange/data_state.hpp"
#include "core/exchange/document/elements.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "core/management/stored_import_lock.hpp"
#include "core/storage/key.hpp"
#include "native/commands/command.hpp"
#include "native/commands/remote_options.hpp"
#include "native/export/export_files.hpp"
#include "native/export/export_values.hpp"
#include "native/system/log.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view document_format = "document";
constexpr std::string_view default_label = "default";
const std::map<std::string, ValueFormat> value_formats = {
    {"spin-sqlite", ValueFormat::spin_sqlite},
    {"redis", ValueFormat::redis},
    {"json-lines", ValueFormat::json_lines},
    {"fastly", ValueFormat::json_lines}};  // as Fastly's bulk upload takes them

std::vector<std::string> format_names() {
  std::vector<std::string> names{std::string(document_format)};
  for (const auto& [name, format] : value_formats) names.push_back(name);
  return names;
}

constexpr std::string_view import_meanwhile =
    "the export stopped: an import changed the store meanwhile; export again when no import runs";

struct ExportArguments {
  std::string output = "-";
  std::string root;
  std::string format{document_format};
  std::optional<std::string> label;
  bool overwrite = false;
  bool json = false;
  RemoteArguments remote;
};

// The requested format of values, or nullopt for the document.
std::expected<std::optional<ValueFormat>, Fault> value_format(const ExportArguments& arguments) {
  const auto found = value_formats.find(arguments.format);
  if (arguments.label && (found == value_formats.end() || found->second != ValueFormat::spin_sqlite)) {
    return wrong_usage("--label is the label of Spin's store: it requires --format spin-sqlite");
  }
  if (found == value_formats.end()) return std::nullopt;
  if (!arguments.root.empty()) {
    return wrong_usage("--root is for the template files of a document: in this format they are values like others");
  }
  return found->second;
}

// Whether template files can be in the directory of `output`: not for a pipe, a terminal or a device.
bool has_directory(const std::string& output) {
  std::error_code ignored;
  return output != "-" && (!fs::exists(output, ignored) || fs::is_regular_file(output, ignored));
}

// On standard error, since standard output may be the export.
void report_written(const ExportArguments& arguments, const ExportFiles& sink, const fs::path& root) {
  std::string line;
  if (arguments.output != "-") line = "wrote " + arguments.output;
  if (sink.template_files() > 0) {
    line += line.empty() ? "wrote " : " and ";
    line += counted(sink.template_files(), "template file", "template files") + " beneath " + root.string();
  }
  if (!line.empty()) print_error(line);
  if (sink.skipped() > 0) {
    print_error("left out " + counted(sink.skipped(), "template file", "template files") +
                ": give --output or --root to write them");
  }
}

// The same as one JSON object, on standard output.
void print_written_as_json(const ExportArguments& arguments, const ExportFiles& sink, const fs::path& root) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("output").raw(log_string(arguments.output));
  json.name("root").raw(sink.template_files() > 0 ? log_string(root.string()) : "null");
  json.name("templateFiles").integer(static_cast<std::int64_t>(sink.template_files()));
  json.name("leftOut").integer(static_cast<std::int64_t>(sink.skipped())).end_object();
  print_json_line(text);
}

// The error is one line: an import is running. What an interrupted import left is exported, what a running one has
// written so far is not.
Task<std::expected<void, std::string>> check_no_import_runs(Context& context, const OpenStore& portal) {
  const auto lock = acquire_import_lock(portal.url);
  if (!lock) co_return std::unexpected(lock.error());
  if (!portal.url.scheme->has_guests) co_return std::expected<void, std::string>();
  co_return co_await check_stored_lock(context, *portal.store, ImportHolder::program);
}

// Returns false if an import changed the store meanwhile. The error is a phrase.
std::expected<bool, std::string> try_export(CommandContext& command, const OpenStore& portal,
                                            std::optional<ValueFormat> format, std::string_view label,
                                            ExportFiles& sink) {
  const auto reason_of = [&](Failure failure) { return command.last_warning.text_or(describe(failure)); };
  const auto state = run_ready(read_data_state(command.context, *portal.store));
  if (!state) return std::unexpected(reason_of(state.error()));
  if (!state->is_complete) {
    const auto checked = run_ready(check_no_import_runs(command.context, portal));
    if (!checked) return std::unexpected(reason_of(checked.error()));
    if (!*checked) return std::unexpected(checked->error());
    print_error(interrupted_import);
  }
  const auto exported = run_ready(format ? export_values(command.context, *portal.store, *state, *format, label, sink)
                                         : export_document(command.context, *portal.store, *state, sink));
  if (!exported) return std::unexpected(reason_of(exported.error()));
  return *exported;
}

std::expected<void, Fault> export_store(const OpenStore& portal, const ExportArguments& arguments,
                                        std::optional<ValueFormat> format, ExportFiles& sink) {
  CommandContext command;
  const std::string label = arguments.label.value_or(std::string(default_label));
  for (int attempt = 0; attempt < max_export_attempts && (attempt == 0 || sink.restart()); ++attempt) {
    const auto exported = try_export(command, portal, format, label, sink);
    if (!sink.reason().empty()) return failure(sink.reason());
    if (!exported) return failure("the export stopped: " + exported.error());
    if (*exported) return {};
  }
  return failure(sink.reason().empty() ? std::string(import_meanwhile) : sink.reason());
}

// Returns the times at which the portal's last import began and ended; empty without one.
std::expected<std::string, Fault> last_import_of(const ManagementClient& client) {
  const auto status = client.get("status");
  if (!status) return std::unexpected(status.error());
  const auto document = parse_json(*status);
  const auto object = document ? object_of(document->root()) : std::nullopt;
  const auto last = object ? member(*object, "lastImport") : std::nullopt;
  const auto record = last ? object_of(*last) : std::nullopt;
  if (!record) return std::string();
  return std::string(string_member(*record, "time").value_or("")) + ' ' +
         std::string(string_member(*record, "finished").value_or(""));
}

// Writes the template files that the document names.
std::expected<void, Fault> write_template_files(const ManagementClient& client, const std::string& document,
                                                ExportFiles& sink) {
  Faults faults;
  ElementReader reader(faults);
  reader.feed(document);
  while (reader.next() == ElementReader::Step::element && reader.element().section == Section::mail_objects) {
    const auto object = parse_mail_object(reader.element(), faults);
    if (!object || !object->template_file) continue;
    const auto bytes = client.get("template-files/" + std::to_string(object->id));
    if (!bytes) return std::unexpected(bytes.error());
    if (!sink.write_template(object->template_file->path, *bytes)) return failure(sink.reason());
  }
  if (faults.count() > 0) return failure("the answer is not an import document: " + faults.release_lines().front());
  return {};
}

// Writes the document of a running portal, and its template files, which are read later.
std::expected<void, Fault> export_from(const RemoteArguments& remote, ExportFiles& sink) {
  const auto client = connect_to(remote);
  if (!client) return std::unexpected(client.error());
  for (int attempt = 0; attempt < max_export_attempts; ++attempt) {
    const auto last_import = last_import_of(*client);
    if (!last_import) return std::unexpected(last_import.error());
    const auto document = client->get("export");
    const auto files = document ? write_template_files(*client, *document, sink)
                                : std::expected<void, Fault>(std::unexpected(document.error()));
    if (!sink.reason().empty()) return failure(sink.reason());
    const auto last_import_now = last_import_of(*client);
    if (!last_import_now) return std::unexpected(last_import_now.error());
    if (*last_import_now == *last_import) {
      if (files && !sink.write(*document)) return failure(sink.reason());
      return files;
    }
    if (!sink.restart()) break;
  }
  return failure(sink.reason().empty() ? std::string(import_meanwhile) : sink.reason());
}

std::expected<void, Fault> run_export(const ExportArguments& arguments, const SettingValues& values) {
  const auto format = value_format(arguments);
  if (!format) return std::unexpected(format.error());
  if (arguments.json && arguments.output == "-") {
    return wrong_usage("--json: give --output a file; standard output is what is exported");
  }
  // Raw values could control a terminal.
  if (*format == ValueFormat::redis && arguments.output == "-" && isatty(STDOUT_FILENO) == 1) {
    return wrong_usage("--format redis: standard output is a terminal; pipe it to redis-cli, or give --output a file");
  }
  const bool is_remote = !arguments.remote.to.empty();
  if (is_remote && *format) return wrong_usage("--format: a running portal exports the document only");
  std::optional<OpenStore> portal;
  if (!is_remote) {
    auto opened = open_portal(values, StoreAccess::read);
    if (!opened) return std::unexpected(opened.error());
    // An export would replace the last good one.
    if (opened->empty) {
      return failure("the store " + without_password(values.text("store")) +
                     " holds no portal: a stored value is missing: " + std::string(format_key) +
                     "; import the document, or restore a backup");
    }
    portal = std::move(*opened);
  }
  fs::path root = arguments.root;
  if (root.empty() && has_directory(arguments.output)) root = fs::absolute(arguments.output).parent_path();
  ExportFiles sink(arguments.output, root, arguments.overwrite);
  if (!sink.reason().empty()) return failure(sink.reason());
  const auto exported = portal ? export_store(*portal, arguments, *format, sink) : export_from(arguments.remote, sink);
  if (!exported) return exported;
  if (!sink.finish()) return failure(sink.reason());
  (arguments.json ? print_written_as_json : report_written)(arguments, sink, root);
  return {};
}

}  // namespace

Command export_command() {
  auto arguments = std::make_shared<ExportArguments>();
  Command command{.name = "export",
                  .help = "Write the store as an import document, or as keys and values",
                  .settings = {"store"},
                  .options = {{.name = "--output",
                               .help = "Output file, with its template files beside it; - for standard output",
                               .field = &arguments->output},
                              {.name = "--root", .help = "Folder for the template files", .field = &arguments->root},
                              {.name = "--overwrite", .help = "Replace existing files", .field = &arguments->overwrite},
                              {.name = "--format",
                               .also = "--as",
                               .help = "Output format: the document, or the stored keys and values",
                               .field = &arguments->format,
                               .choices = format_names()},
                              {.name = "--label",
                               .help = "spin-sqlite: the label of Spin's store",
                               .field = &arguments->label,
                               .shown_default = std::string(default_label)},
                              {.name = "--json",
                               .help = "With --output: print a summary as one JSON object",
                               .field = &arguments->json}},
                  .examples = {"portail export --store lmdb:data --output backup/portail.json",
                               "portail export --store lmdb:data --format redis | redis-cli --pipe"},
                  .run = [arguments](const SettingValues& values) { return run_export(*arguments, values); }};
  add_remote_options(command.options, arguments->remote);
  return command;
}

}  // namespace portail
