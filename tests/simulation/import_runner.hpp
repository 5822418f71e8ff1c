// The imports of a run. One that is cut off is repeated, or followed by another one. One import at a time holds the
// lock; one that lost it continues until its next write. One thread.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/exchange/import.hpp"
#include "native/stores/format_revalidating_store.hpp"
#include "tests/simulation/audit_oracle.hpp"
#include "tests/simulation/random_import.hpp"
#include "tests/simulation/scheduler.hpp"
#include "tests/simulation/step_clock.hpp"
#include "tests/simulation/suspending_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail::simulation {

struct ImportCounts {
  int complete = 0;
  int unfinished = 0;   // failed, cancelled, or without the lock
  int followed = 0;     // cut off, and followed by another one
  int refused = 0;      // while another one held the lock
  int overlapping = 0;  // begun while one that lost the lock continued
};

class ImportRunner {
 public:
  ImportRunner(KeyValueStore& memory, SuspendingStore& store, Scheduler& scheduler, const StepClock& clock,
               SeededRandom& random, PortalHistory& history, RandomImports& imports, AuditOracle& audit)
      : memory_(memory),
        store_(store),
        scheduler_(scheduler),
        clock_(clock),
        random_(random),
        history_(history),
        imports_(imports),
        audit_(audit) {}

  // Imports the first portal, without suspending.
  void load();

  // Starts an import, or a cut off one again, or one that follows it. If another one holds the lock, it is refused.
  // Waits for the writes of the one that was cut off: then nothing is started.
  void start(std::optional<Fault> fault);
  // Cuts off an import that runs.
  void cancel();
  // Takes the lock from the import that runs, unless a write is pending: the lock outlasts each write.
  void lose_lock();
  // Ends the imports that are done.
  void complete();

  [[nodiscard]] bool is_running() const { return !attempts_.empty(); }
  // Whether an import is running, or was cut off.
  [[nodiscard]] bool is_incomplete() const { return is_running() || plan_; }
  // The end of the last complete import; `never` while one is incomplete.
  [[nodiscard]] Moment last_end() const { return last_end_; }

  ImportCounts counts;
  std::optional<std::string> failure;

 private:
  struct Attempt {
    Attempt(SuspendingStore& store, const PlannedImport& plan, const Clock& clock, std::uint64_t seed,
            HeldImportLock held);

    std::string correlation_id;
    std::string document;
    TestContext test;
    TextInput input;
    IgnoredProgress progress;
    ImportOptions options;
    HeldImportLock lock;
    LockedStore locked;
    std::optional<Task<ImportReport>> task;
  };

  [[nodiscard]] bool has_lock(const Attempt& attempt) const;
  void report_failure(const std::string& what);
  void plan_next(bool must_index);
  // Ends the planned writes that happened, undoes the others, and drops the plan.
  void give_up_plan();
  [[nodiscard]] bool can_be_followed() const;
  [[nodiscard]] std::optional<std::string> value_of(const std::string& key) const;
  [[nodiscard]] bool catalogue_has(const std::string& type) const;
  [[nodiscard]] bool happened(const PlannedWrite& write) const;
  void announce(const std::string& correlation_id);
  void end_plan(const std::string& correlation_id);
  void end_attempt(const Attempt& attempt);

  KeyValueStore& memory_;
  SuspendingStore& store_;
  Scheduler& scheduler_;
  const StepClock& clock_;
  SeededRandom& random_;
  PortalHistory& history_;
  RandomImports& imports_;
  AuditOracle& audit_;

  std::optional<PlannedImport> plan_;  // is running, or was cut off
  bool plan_was_tried_ = false;
  std::map<std::string, std::optional<std::string>> before_;  // the values of its entities, by key
  bool must_index_ = false;
  std::list<std::unique_ptr<Attempt>> attempts_;
  std::weak_ptr<void> holder_;
  Moment last_end_ = 0;
};

}  // namespace portail::simulation
