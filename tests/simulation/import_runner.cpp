#include "tests/simulation/import_runner.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/storage/key.hpp"
#include "tests/simulation/oracle.hpp"

namespace portail::simulation {
namespace {

using Kind = PlannedWrite::Kind;

struct SimulatedLock {
  bool is_held = true;
};

constexpr StoreScheme locking_scheme{.name = "simulated",
                                     .form = "simulated:",
                                     .open = nullptr,
                                     .acquire_import_lock = nullptr,
                                     .holds_import_lock = [](const HeldImportLock& lock) {
                                       return static_cast<const SimulatedLock*>(lock.get())->is_held;
                                     }};

std::string key_of(const PlannedWrite& write) {
  switch (write.kind) {
    case Kind::third_party:
      return third_party_key(write.id);
    case Kind::bundle:
      return bundle_key(write.id);
    case Kind::grants:
      return std::string(grants_key);
    default:
      return {};
  }
}

std::string options_json(const ImportOptions& options) {
  std::string json;
  const auto add = [&json](bool is_set, std::string_view flag) {
    if (is_set) json.append(json.empty() ? "\"" : ",\"").append(flag).append("\"");
  };
  add(options.replace_configuration, "--replace-configuration");
  add(options.prune, "--prune");
  add(options.allow_empty_sections, "--yes");
  return '[' + json + ']';
}

}  // namespace

ImportRunner::Attempt::Attempt(SuspendingStore& store, const PlannedImport& plan, const Clock& clock,
                               std::uint64_t seed, HeldImportLock held)
    : correlation_id("import-" + std::to_string(seed)),
      document(plan.document),
      test(clock, seed),
      input(document, plan.templates),
      options(plan.options),
      lock(std::move(held)),
      locked(store, locking_scheme, lock) {
  options.author.route = "portail import";
  options.author.system_user = "importer";
  options.author.correlation_id = correlation_id;
}

void ImportRunner::report_failure(const std::string& what) {
  if (!failure) failure = what;
}

bool ImportRunner::has_lock(const Attempt& attempt) const {
  return static_cast<const SimulatedLock*>(attempt.lock.get())->is_held;
}

void ImportRunner::load() {
  plan_ = imports_.first();
  const std::string correlation_id = "first";
  announce(correlation_id);
  plan_->options.author.route = "portail import";
  plan_->options.author.system_user = "importer";
  plan_->options.author.correlation_id = correlation_id;
  TestContext test(clock_, 1);
  const auto report = import_text(test.context, memory_, plan_->document, plan_->templates, plan_->options);
  if (!report || report->fault_count > 0) {
    return report_failure("the first import: " + (report ? report->faults.front() : "failed"));
  }
  end_plan(correlation_id);
}

void ImportRunner::start(std::optional<Fault> fault) {
  const auto held = std::static_pointer_cast<SimulatedLock>(holder_.lock());
  if (held && held->is_held) {
    ++counts.refused;
    return;
  }
  if (scheduler_.abandoned_writes() > 0) return;  // they may belong to the last import
  if (const auto wrong = audit_.check_chains(memory_)) report_failure(*wrong);
  if (plan_ && plan_was_tried_ && can_be_followed() && random_.one_in(2)) {
    give_up_plan();
    ++counts.followed;
  }
  if (!plan_) plan_next(must_index_);
  if (is_running()) ++counts.overlapping;
  last_end_ = never;
  auto lock = std::make_shared<SimulatedLock>();
  holder_ = lock;
  Attempt& attempt =
      *attempts_.emplace_back(std::make_unique<Attempt>(store_, *plan_, clock_, random_.next(), std::move(lock)));
  announce(attempt.correlation_id);
  plan_was_tried_ = true;
  scheduler_.plan(attempt.test.context, fault);
  attempt.task.emplace(
      import_document(attempt.test.context, attempt.locked, attempt.input, attempt.options, attempt.progress));
  attempt.task->start([](void*) {}, nullptr);
}

void ImportRunner::plan_next(bool must_index) {
  plan_ = imports_.next(clock_.step, must_index);
  plan_was_tried_ = false;
  before_.clear();
  for (const PlannedWrite& write : plan_->writes) before_[key_of(write)] = value_of(key_of(write));
}

// Without atomic batches, a catalogue or a template file may be incomplete until its import is repeated.
bool ImportRunner::can_be_followed() const { return store_.traits().atomic_batches || !plan_->has(Kind::mail_object); }

void ImportRunner::give_up_plan() {
  for (const PlannedWrite& write : std::views::reverse(plan_->writes)) {
    if (write.kind == Kind::replaced_configuration) continue;  // it remains possible
    if (happened(write)) {
      write.end(clock_.step);
    } else {
      write.undo();
    }
  }
  if (plan_->writes_index()) {
    must_index_ = true;
    history_.index_is_current.end(history_.index_is_current.begin(false, clock_.step), clock_.step);
  }
  plan_.reset();
}

std::optional<std::string> ImportRunner::value_of(const std::string& key) const {
  if (key.empty()) return std::nullopt;
  struct Finder final : Visitor {
    std::string wanted;
    std::optional<std::string> found;
    bool visit(std::string_view found_key, std::string_view value) override {
      if (found_key == wanted) found = value;
      return !found;
    }
  } finder;
  finder.wanted = key;
  TestContext test;
  if (!run_ready(memory_.scan(test.context, key, finder))) return std::nullopt;
  return finder.found;
}

bool ImportRunner::catalogue_has(const std::string& type) const {
  struct Finder final : Visitor {
    std::string wanted;
    bool found = false;
    bool visit(std::string_view, std::string_view value) override {
      found = found || value.find(wanted) != std::string_view::npos;
      return true;
    }
  } finder;
  finder.wanted = json_string(type);
  TestContext test;
  return run_ready(memory_.scan(test.context, catalogue_prefix, finder)) && finder.found;
}

// PUTs do not change the values that are compared.
bool ImportRunner::happened(const PlannedWrite& write) const {
  if (!plan_was_tried_) return false;
  if (!write.type.empty()) return catalogue_has(write.type);
  const std::string key = key_of(write);
  return before_.at(key) != value_of(key);
}

void ImportRunner::announce(const std::string& correlation_id) {
  // With this option, PUTs decide whether a mail object that was written before is changed again.
  const bool report_is_exact = !plan_->options.replace_configuration || !plan_was_tried_;
  audit_.imports[correlation_id] = {
      .document = plan_->document,
      .options = options_json(plan_->options),
      .configurations = plan_->configurations,
      .report = expected_report(*plan_, [this](const PlannedWrite& write) { return happened(write); }),
      .report_is_exact = report_is_exact,
      .window = {.began = clock_.step, .ended = never}};
}

void ImportRunner::cancel() {
  const auto it = std::next(attempts_.begin(), static_cast<std::ptrdiff_t>(random_.below(attempts_.size())));
  end_attempt(**it);
  attempts_.erase(it);
}

void ImportRunner::lose_lock() {
  if (scheduler_.pending_writes() > 0) return;
  for (const auto& attempt : attempts_) static_cast<SimulatedLock*>(attempt->lock.get())->is_held = false;
}

void ImportRunner::end_attempt(const Attempt& attempt) {
  scheduler_.remove_request(attempt.test.context);
  audit_.imports.at(attempt.correlation_id).window.ended = clock_.step;
  ++counts.unfinished;
}

void ImportRunner::complete() {
  for (auto it = attempts_.begin(); it != attempts_.end();) {
    Attempt& attempt = **it;
    if (!attempt.task->done()) {
      ++it;
      continue;
    }
    const auto report = attempt.task->result();
    const bool had_fault = scheduler_.fault_struck(attempt.test.context);
    if (report && report->fault_count > 0) report_failure("an import was refused: " + report->faults.front());
    if (report && !has_lock(attempt)) report_failure("an import without the lock succeeded");
    if (!report && !had_fault && has_lock(attempt))
      report_failure("an import failed by itself: " + std::string(describe(report.error())));
    end_attempt(attempt);
    if (report) {
      --counts.unfinished;
      end_plan(attempt.correlation_id);
    }
    it = attempts_.erase(it);
  }
}

void ImportRunner::end_plan(const std::string& correlation_id) {
  SentImport& sent = audit_.imports.at(correlation_id);
  sent.is_complete = true;
  sent.window.ended = clock_.step;
  for (const PlannedWrite& write : plan_->writes) write.end(clock_.step);
  if (must_index_ && plan_->writes_index()) {
    must_index_ = false;
    history_.index_is_current.end(history_.index_is_current.begin(true, sent.window.began), clock_.step);
  }
  plan_.reset();
  last_end_ = clock_.step;
  ++counts.complete;
}

}  // namespace portail::simulation
