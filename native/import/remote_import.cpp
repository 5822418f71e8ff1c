#include "native/import/remote_import.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/task.hpp"
#include "core/exchange/document/document_stream.hpp"
#include "core/exchange/document/elements.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr const char* json_type = "application/json";

class ShownProgress final : public ImportProgress {
 public:
  explicit ShownProgress(std::uint64_t size) : size_(size) {}
  void advance(ImportPhase, std::uint64_t done) override { bar_.show("sending", done, size_); }

 private:
  std::uint64_t size_;
  ProgressBar bar_;
};

std::uint64_t count_of(JsonObject object, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(integer_member(object, name).value_or(0), 0));
}

void add_section(SectionReport& section, std::optional<JsonValue> value) {
  const auto counts = value ? object_of(*value) : std::nullopt;
  if (!counts) return;
  section.present = true;
  section.added += count_of(*counts, "added");
  section.changed += count_of(*counts, "changed");
  section.unchanged += count_of(*counts, "unchanged");
  section.removed += count_of(*counts, "removed");
}

// Adds the answer of one part to the report. Returns false if it is not a report.
bool add_report(ImportReport& report, std::string_view body) {
  const auto document = parse_json(body);
  const auto object = document ? object_of(document->root()) : std::nullopt;
  const auto sections_member = object ? member(*object, "sections") : std::nullopt;
  const auto sections = sections_member ? object_of(*sections_member) : std::nullopt;
  if (!sections) return false;
  for (const Section section : all_sections) add_section(report.of(section), member(*sections, name_of(section)));
  report.deposits += count_of(*object, "deposits");
  report.pieces_of_further_statuses += count_of(*object, "piecesOfFurtherStatuses");
  report.fault_count += count_of(*object, "faultCount");
  const auto list = [&object](std::string_view name) {
    const auto found = member(*object, name);
    return found ? array_of(*found) : std::nullopt;
  };
  if (const auto statuses = list("unknownStatuses")) {
    for (const JsonValue status : *statuses) {
      const auto each = object_of(status);
      if (!each) continue;
      const std::string text = json_string(string_member(*each, "status").value_or(""));
      count_unknown_status(report, text, count_of(*each, "pieces"));
    }
  }
  if (const auto faults = list("faults")) {
    for (const JsonValue fault : *faults) report.faults.emplace_back(string_of(fault).value_or(""));
  }
  if (const auto dropped = list("droppedTemplateFiles")) {
    for (const JsonValue id : *dropped) {
      report.dropped_template_files.push_back(static_cast<std::uint64_t>(integer_of(id).value_or(0)));
    }
  }
  return true;
}

std::string query_of(const ImportOptions& options) {
  std::string query;
  for (const auto& [is_set, name] : {std::pair{options.dry_run, "dryRun"}, std::pair{options.prune, "prune"},
                                     std::pair{options.replace_configuration, "override"},
                                     std::pair{options.allow_empty_sections, "allowEmptySections"}}) {
    if (!is_set) continue;
    query += query.empty() ? "?" : "&";
    query += name;
    query += "=true";
  }
  return query;
}

class RemoteImport {
 public:
  RemoteImport(const ManagementClient& client, Context& context, ImportInput& input, std::uint64_t size,
               const ImportOptions& options)
      : client_(client), context_(context), input_(input), size_(size), options_(options) {}

  // Sends the template files of the mail objects. Faults of the document are left to the server.
  std::expected<void, Fault> send_templates() {
    return for_each(Section::mail_objects, [this](const Element& element) -> std::expected<void, Fault> {
      Faults faults;
      const auto object = parse_mail_object(element, faults);
      if (!object || !object->template_file) return {};
      const auto bytes = run_ready(
          input_.read_template(context_, object->id, object->template_file->path, options_.max_template_size));
      if (!bytes) return failure("the template files cannot be read");
      if (!*bytes) return failure(object->template_file->path + ": " + bytes->error());
      const auto answer = client_.send("PUT", "template-files/" + std::to_string(object->id), **bytes,
                                       object->template_file->media_type.c_str());
      if (!answer) return std::unexpected(answer.error());
      if (answer->status != 200) return ManagementClient::refused(*answer);
      return {};
    });
  }

  std::expected<void, Fault> send_whole() {
    std::string document;
    if (!run_ready(input_.rewind(context_))) return failure("the document cannot be read");
    for (;;) {
      const auto chunk = run_ready(input_.next(context_));
      if (!chunk) return failure("the document cannot be read");
      if (!*chunk) break;
      document += **chunk;
    }
    return send(document);
  }

  std::expected<void, Fault> send_parts(std::uint64_t part_size) {
    for (const Section section : all_sections) {
      std::string part;
      const std::string beginning = "{\"" + std::string(name_of(section)) + "\":[";
      const auto send_part = [&]() -> std::expected<void, Fault> {
        auto sent = send(part + "]}");
        part.clear();
        return sent;
      };
      const auto sent = for_each(section, [&](const Element& element) -> std::expected<void, Fault> {
        // The grants replace all stored ones, so they are one part.
        const bool is_full =
            section != Section::grants && !part.empty() && part.size() + element.text.size() > part_size;
        if (is_full) {
          if (auto done = send_part(); !done) return done;
        }
        part += part.empty() ? beginning : ",";
        part += element.text;
        return {};
      });
      if (!sent) return sent;
      if (report_.fault_count > 0) return {};
      if (part.empty() && section == Section::grants && has_section_) part = beginning;  // removes all grants
      if (!part.empty()) {
        if (auto done = send_part(); !done) return done;
      }
      if (report_.fault_count > 0) return {};
    }
    return {};
  }

  [[nodiscard]] ImportReport report() && { return std::move(report_); }
  [[nodiscard]] bool has_faults() const { return report_.fault_count > 0; }

 private:
  using Visit = std::function<std::expected<void, Fault>(const Element&)>;

  // Visits the elements of one section, until a visit fails or a part is refused.
  std::expected<void, Fault> for_each(Section section, const Visit& visit) {
    Faults faults;
    ShownProgress progress(size_);
    DocumentStream document(input_, ImportPhase::writing, progress, faults);
    if (!run_ready(document.begin(context_))) return failure("the document cannot be read");
    while (report_.fault_count == 0) {
      const auto element = run_ready(document.next(context_));
      if (!element) return failure("the document cannot be read");
      if (!*element) break;
      if ((*element)->section != section) continue;
      if (auto visited = visit(**element); !visited) return visited;
    }
    has_section_ = document.has_section(section);
    report_.fault_count += faults.count();
    std::vector<std::string> lines = faults.release_lines();
    report_.faults.insert(report_.faults.end(), lines.begin(), lines.end());
    return {};
  }

  std::expected<void, Fault> send(const std::string& document) {
    const auto answer = client_.send("POST", "import" + query_of(options_), document, json_type);
    if (!answer) return std::unexpected(answer.error());
    if (answer->status != 200 && answer->status != 422) return ManagementClient::refused(*answer);
    if (!add_report(report_, answer->body)) return failure("the answer is not the report of an import");
    if (report_.dropped_template_files.empty()) return {};
    return failure("the portal did not use the template file of the mail object " +
                   std::to_string(report_.dropped_template_files.front()) +
                   ": another import replaced the stored one after it was sent; import again");
  }

  const ManagementClient& client_;
  Context& context_;
  ImportInput& input_;
  std::uint64_t size_;
  const ImportOptions& options_;
  ImportReport report_;
  bool has_section_ = false;  // of the last for_each
};

}  // namespace

std::expected<ImportReport, Fault> import_remotely(const ManagementClient& client, Context& context, ImportInput& input,
                                                   std::uint64_t size, std::uint64_t part_size,
                                                   const ImportOptions& options) {
  const bool is_whole = size <= part_size;
  if (!is_whole && (options.prune || options.dry_run)) {
    return wrong_usage("--prune and --dry-run need the document in one part: raise --part-size above its " +
                       std::to_string(size) + " bytes, and the limit of the portal");
  }
  RemoteImport import(client, context, input, size, options);
  auto sent = import.send_templates();
  if (sent && !import.has_faults()) sent = is_whole ? import.send_whole() : import.send_parts(part_size);
  if (!sent) return std::unexpected(sent.error());
  return std::move(import).report();
}

}  // namespace portail
