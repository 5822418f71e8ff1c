#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/audit/trail.hpp"
#include "core/exchange/import.hpp"
#include "core/exchange/report_json.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/http/request.hpp"
#include "core/http/target.hpp"
#include "core/management/call.hpp"
#include "core/management/endpoints.hpp"
#include "core/management/operation_deadlines.hpp"
#include "core/portal/template_file.hpp"

namespace portail {
namespace {

// The received document. Its template files are those that were deposited, or else those of the store.
class ReceivedDocument final : public ImportInput {
 public:
  ReceivedDocument(Spool& spool, KeyValueStore& store) : spool_(spool), store_(store) {}

  Task<void> rewind(Context&) override { co_await spool_.rewind(); }
  Task<std::optional<std::string_view>> next(Context&) override { co_return co_await spool_.next(); }

  Task<std::expected<std::string, std::string>> read_template(Context& context, std::uint64_t mail_object,
                                                              std::string_view, std::size_t) override {
    if (!stored_) stored_ = co_await read_mail_objects(context, store_);
    if (auto deposit = co_await read_deposit(context, store_, mail_object, template_hash(*stored_, mail_object))) {
      auto bytes = std::exchange(deposit->bytes, std::nullopt);
      if (!bytes) dropped_.insert(mail_object);
      deposits_.insert_or_assign(mail_object, std::move(*deposit));
      if (bytes) co_return std::move(*bytes);
    }
    const auto found = stored_->objects.find(mail_object);
    if (found != stored_->objects.end() && found->second.template_file) {
      const auto& file = *found->second.template_file;
      const auto session = co_await store_.open(context);
      auto bytes = co_await read_template_file(context, *session, mail_object, file.size, file.hash);
      if (bytes) co_return std::move(*bytes);
    }
    co_return std::unexpected("no template file was sent: PUT /manage/template-files/" + std::to_string(mail_object) +
                              " first");
  }

  // The mail objects whose deposit does not count.
  [[nodiscard]] const std::set<std::uint64_t>& dropped() const { return dropped_; }
  Task<void> remove_deposits(Context& context) {
    for (const auto& [mail_object, deposit] : deposits_) co_await remove_deposit(context, store_, deposit);
  }

 private:
  Spool& spool_;
  KeyValueStore& store_;
  std::map<std::uint64_t, TemplateDeposit> deposits_;  // those that were read, without their bytes
  std::set<std::uint64_t> dropped_;
  std::optional<StoredMailObjects> stored_;  // as of the first use
};

// Writes the changes as JSON lines. If the spool has no space for more, the import goes on without them.
class ChangeLines final : public ImportChangeListener {
 public:
  // `clock`: that of the lines' times; null for a dry run.
  ChangeLines(std::unique_ptr<Spool> spool, const Clock* clock) : spool_(std::move(spool)), clock_(clock) {}

  void on_change(const EntityChange& change) override {
    constexpr std::size_t max_rest = std::size_t{64} * 1024;
    if (is_truncated_) return;
    rest_.append(change_json(change, clock_ ? std::optional(clock_->now()) : std::nullopt)).append("\n");
    if (rest_.size() < max_rest) return;
    is_truncated_ = !spool_->append(rest_);
    rest_.clear();
  }
  // Ends the lines. Returns false if some are missing.
  bool finish() {
    if (!spool_->rewind()) {
      spool_.reset();
      is_truncated_ = true;
    }
    return !is_truncated_;
  }
  // Returns the lines and then `end`, after finish(). Call it once.
  std::unique_ptr<ChunkSource> followed_by(std::string_view end) {
    return std::make_unique<SpoolSource>(std::move(spool_), std::move(rest_.append(end)));
  }

 private:
  std::unique_ptr<Spool> spool_;
  const Clock* clock_;
  std::string rest_;  // not yet in the spool
  bool is_truncated_ = false;
};

struct Parameters {
  bool dry_run = false;
  bool prune = false;
  bool replace_configuration = false;
  bool allow_empty_sections = false;
  bool changes = false;
};

// Returns the parameters of a query, or the message of a fault.
std::expected<Parameters, std::string> read_parameters(std::string_view query) {
  Parameters parameters;
  const std::array<bool*, import_parameters.size()> values{&parameters.dry_run, &parameters.prune,
                                                           &parameters.replace_configuration,
                                                           &parameters.allow_empty_sections, &parameters.changes};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto given = boolean_parameter(query, import_parameters[i]);
    if (!given) return std::unexpected(std::string(import_parameters[i]) + " must be true or false");
    *values[i] = *given;
  }
  return parameters;
}

// Copies the body into the spool. Returns false if it exceeds `max_size`; if its Content-Length does, without reading
// it.
Task<bool> receive(Context& context, const Request& request, std::uint64_t max_size, Spool& spool) {
  std::uint64_t size = 0;
  if (!request.body) co_return true;
  if (announces_more_than(max_size, request)) co_return false;
  while (const auto chunk = co_await request.body->next(context)) {
    size += chunk->size();
    if (size > max_size) co_return false;
    co_await spool.append(*chunk);
  }
  co_return true;
}

int status_of(const ImportReport& report) {
  if (report.partially_written) return 409;
  return report.fault_count > 0 ? 422 : 200;
}

// Imports the document, and removes the deposits of its mail objects.
Task<ImportReport> import_received(Context& context, KeyValueStore& store, Spool& document,
                                   const ImportOptions& options) {
  ReceivedDocument input(document, store);
  IgnoredProgress progress;
  ImportReport report = co_await import_document(context, store, input, options, progress);
  report.dropped_template_files.assign(input.dropped().begin(), input.dropped().end());
  if (report.fault_count > 0 || options.dry_run) co_return report;
  // If this fails, the import has succeeded nevertheless.
  const auto removed = co_await outcome(input.remove_deposits(context));
  if (!removed) context.log.warn("template files that were sent cannot be removed", describe(removed.error()));
  co_return report;
}

// Removes old records; if that fails, the import has succeeded nevertheless.
Task<void> prune_audit(Context& context, const ManagementCall& call) {
  const auto pruned = co_await outcome(prune_expired_audit(context, call.store, call.settings.audit_retention));
  if (!pruned) context.log.warn("old audit records cannot be removed", describe(pruned.error()));
  if (pruned && pruned->has_kept) context.log.warn("expired audit records are kept", why_expired_audit_is_kept);
}

}  // namespace

Task<Response> post_import(Context& context, const ManagementCall& call) {
  const auto parameters = read_parameters(call.query);
  if (!parameters) co_return management_problem(400, parameters.error());
  if (auto refusal = media_type_refusal(call.request)) co_return std::move(*refusal);
  const auto document = call.host.new_spool();
  if (!co_await receive(context, call.request, call.settings.max_document_size, *document)) {
    co_return management_problem(413, "the document is larger than " + std::to_string(call.settings.max_document_size) +
                                          " bytes: send it in parts, or raise the setting manage-max-document");
  }
  std::unique_ptr<ImportLease> lease;
  if (!parameters->dry_run) {
    auto acquired = co_await call.host.lock_import(context, call.author);
    if (!acquired) co_return co_await import_conflict(context, call.store, acquired.error());
    lease = std::move(*acquired);
  }
  OperationDeadlines store(lease ? lease->store() : call.store);
  ChangeLines changes(call.host.new_spool(), parameters->dry_run ? nullptr : &context.clock);
  const ImportOptions options{.replace_configuration = parameters->replace_configuration,
                              .prune = parameters->prune,
                              .allow_empty_sections = parameters->allow_empty_sections,
                              .dry_run = parameters->dry_run,
                              .change_listener = parameters->changes ? &changes : nullptr,
                              .author = call.author};
  const auto imported = co_await outcome(import_received(context, store, *document, options));
  // A lock that cannot be released expires; the import is done nevertheless.
  if (lease) co_await outcome(lease->release(context));
  ImportReport report = co_await imported;
  if (!parameters->dry_run && report.fault_count == 0) co_await prune_audit(context, call);
  const int status = status_of(report);
  const bool lists_changes = parameters->changes && status == 200;
  report.changes_truncated = lists_changes && !changes.finish();
  std::string json = report_json(report, parameters->dry_run);
  if (!lists_changes) co_return json_answer(std::move(json), status);
  co_return streamed_answer(json_lines_content_type, changes.followed_by(json + '\n'));
}

}  // namespace portail
