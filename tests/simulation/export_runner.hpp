// GET /manage/export among the traffic, one at a time: its document has one state, never that of a running import. One
// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/management/management.hpp"
#include "tests/simulation/audit_oracle.hpp"
#include "tests/simulation/import_runner.hpp"
#include "tests/simulation/step_clock.hpp"
#include "tests/simulation/suspending_store.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {

struct ExportCounts {
  int complete = 0;
  int of_an_interrupted_import = 0;  // complete, too
  int refused = 0;                   // an import was running
  int broken_off = 0;                // an import changed the state meanwhile
};

class ExportRunner {
 public:
  ExportRunner(KeyValueStore& memory, Scheduler& scheduler, KeyValueStore::Traits traits, const StepClock& clock,
               const ImportRunner& imports, AuditOracle& audit);

  // Starts an export, unless one is running.
  void start(std::uint64_t seed, std::optional<Fault> fault);
  // Judges the export if it is done, and notes the present state. Call it after each step.
  void complete();

  ExportCounts counts;
  std::optional<std::string> failure;

 private:
  // Imports of this simulation have another lock.
  class Host final : public ManagementHost {
   public:
    Host(KeyValueStore& store, const ImportRunner& imports) : store_(store), imports_(imports) {}
    std::unique_ptr<Spool> new_spool() override { return std::make_unique<MemorySpool>(); }
    Task<std::expected<std::unique_ptr<ImportLease>, std::string>> lock_import(Context& context,
                                                                               const Author& author) override;

   private:
    KeyValueStore& store_;
    const ImportRunner& imports_;
  };
  struct InFlight {
    InFlight(const StepClock& clock, std::uint64_t seed, const std::string& token)
        : test(clock, seed), request("GET", "/manage/export", token) {}
    Moment began = 0;
    TestContext test;
    TestRequest request;
    Request view;
    std::optional<Task<Answer>> task;
  };

  struct State {
    Moment since;
    std::string document;  // without configurations
  };

  // Notes the state of the store, if no import is changing it.
  void note_state();
  void judge(const Result<Answer>& answer, Moment began, bool had_fault);
  void report_failure(const std::string& what);

  KeyValueStore& memory_;
  Scheduler& scheduler_;
  SuspendingStore store_;
  const StepClock& clock_;
  const ImportRunner& imports_;
  AuditOracle& audit_;
  Host host_{store_, imports_};
  Management management_;
  const std::string token_ = make_quick_test_token({.subject = "operator"});

  std::unique_ptr<InFlight> in_flight_;
  std::vector<State> states_;
  bool is_noted_ = false;                // the present state
  std::optional<std::string> unjudged_;  // a document that may have the next state
  Moment last_change_ = 0;               // when an import was last running, or one of its writes pending
  Moment last_late_write_ = 0;           // when a write of an import that was cut off was last pending
};

}  // namespace portail::simulation
