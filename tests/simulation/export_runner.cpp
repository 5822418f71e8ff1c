#include "tests/simulation/export_runner.hpp"

#include <algorithm>

#include "core/exchange/data_state.hpp"
#include "core/exchange/export.hpp"
#include "core/exchange/export_source.hpp"

namespace portail::simulation {
namespace {

ManagementSettings settings() {
  ManagementSettings settings;
  settings.tokens = test_token_settings();
  settings.administrators = {"operator"};
  return settings;
}

class NoLease final : public ImportLease {
 public:
  explicit NoLease(KeyValueStore& store) : store_(store) {}
  KeyValueStore& store() override { return store_; }
  Task<void> release(Context&) override { co_return; }

 private:
  KeyValueStore& store_;
};

// PUTs change the configurations, in every state.
std::string without_configurations(std::string document) {
  constexpr std::string_view first = "\"utilisablePourLiasse\"";
  for (std::size_t at = 0; (at = document.find(first, at)) != std::string::npos;) {
    document.erase(at, document.find("\"fichierModele\"", at) - at);
  }
  return document;
}

}  // namespace

ExportRunner::ExportRunner(KeyValueStore& memory, Scheduler& scheduler, KeyValueStore::Traits traits,
                           const StepClock& clock, const ImportRunner& imports, AuditOracle& audit)
    : memory_(memory),
      scheduler_(scheduler),
      store_(memory, scheduler, traits),
      clock_(clock),
      imports_(imports),
      audit_(audit),
      management_(settings(), host_, test_key_set(), store_) {}

Task<std::expected<std::unique_ptr<ImportLease>, std::string>> ExportRunner::Host::lock_import(Context&,
                                                                                               const Author&) {
  if (imports_.is_running()) co_return std::unexpected(std::string("another import is running"));
  co_return std::make_unique<NoLease>(store_);
}

void ExportRunner::report_failure(const std::string& what) {
  if (!failure) failure = "an export " + what;
}

void ExportRunner::start(std::uint64_t seed, std::optional<Fault> fault) {
  if (in_flight_) return;
  in_flight_ = std::make_unique<InFlight>(clock_, seed, token_);
  InFlight& started = *in_flight_;
  started.began = clock_.step;
  const std::string correlation_id = "export-" + std::to_string(seed);
  started.request.header("X-Correlation-Id", correlation_id);
  audit_.calls.insert(correlation_id);
  scheduler_.plan(started.test.context, fault);
  started.view = started.request.view();
  started.task.emplace(serve(started.test.context, management_, started.view));
  started.task->start([](void*) {}, nullptr);
}

void ExportRunner::complete() {
  note_state();
  if (!in_flight_ || !in_flight_->task->done()) return;
  const bool had_fault = scheduler_.fault_struck(in_flight_->test.context);
  scheduler_.remove_request(in_flight_->test.context);
  judge(in_flight_->task->result(), in_flight_->began, had_fault);
  in_flight_.reset();
}

void ExportRunner::note_state() {
  if (imports_.is_running() || scheduler_.abandoned_writes() > 0) {
    last_change_ = clock_.step;
    if (!imports_.is_running()) last_late_write_ = clock_.step;
    is_noted_ = false;
    return;
  }
  if (is_noted_) return;
  is_noted_ = true;
  TestContext test;
  const auto state = run_ready(read_data_state(test.context, memory_));
  auto source = std::make_unique<ExportSource>(memory_, *state);
  const auto has_begun = run_ready(source->begin(test.context));
  Body body = std::move(source);
  std::string text;
  if (!has_begun || !*has_begun || !run_ready(append_body(test.context, body, text))) {
    report_failure("of the memory failed");
  }
  states_.push_back({clock_.step, without_configurations(std::move(text))});
  // An import may have written its last change before it ended.
  if (unjudged_ && states_.back().document != *unjudged_) report_failure("mixes two states: " + *unjudged_);
  unjudged_.reset();
}

void ExportRunner::judge(const Result<Answer>& answer, Moment began, bool had_fault) {
  const bool had_import = last_change_ >= began;
  if (!answer) {
    if (!had_fault && !had_import) report_failure("broke off by itself");
    ++counts.broken_off;
    return;
  }
  if (answer->status == 409 && had_import) {
    ++counts.refused;
  } else if (answer->status == 200) {
    ++counts.complete;
    if (imports_.is_incomplete() && !imports_.is_running()) ++counts.of_an_interrupted_import;
    if (last_late_write_ >= began) return;  // of a killed import: which values it has changed is unknown
    const std::string found = without_configurations(answer->body);
    const auto ended_before = [&](std::size_t i) { return i + 1 < states_.size() && states_[i + 1].since <= began; };
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!ended_before(i) && states_[i].document == found) return;
    }
    if (is_noted_) return report_failure("mixes two states: " + found);
    unjudged_ = found;
  } else if (!(had_fault || had_import) || answer->status < 500) {
    report_failure("answered " + std::to_string(answer->status) + ' ' + answer->body);
  }
}

}  // namespace portail::simulation
