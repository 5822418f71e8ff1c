#include "tests/simulation/simulation.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <list>
#include <memory>
#include <set>
#include <utility>

#include "core/api/answer_memory.hpp"
#include "core/auth/key_source.hpp"
#include "core/auth/token_cache.hpp"
#include "core/exchange/import.hpp"
#include "core/service.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/simulation/audited.hpp"
#include "tests/simulation/random_import.hpp"
#include "tests/simulation/scheduler.hpp"
#include "tests/simulation/suspending_store.hpp"
#include "tests/simulation/traffic.hpp"
#include "tests/support/answer.hpp"
#include "tests/support/import_text.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {
namespace {

constexpr std::size_t most_in_flight = 16;
constexpr int requests_between_settlements = 200;
constexpr std::array steps_before_a_fault{0, 0, 0, all_steps, all_steps, 1, 2, 5};

Settings make_settings(bool filter_lists) {
  Settings settings;
  settings.tokens = test_token_settings();
  settings.filter_lists = filter_lists;
  return settings;
}

// A key set that the key of the callers' tokens leaves, and comes back to.
class RotatingKeys final : public KeySource {
 public:
  void rotate(bool with_the_callers_key) { current_ = with_the_callers_key ? both_ : one_; }
  [[nodiscard]] SharedKeySet current() override { return current_; }
  [[nodiscard]] Task<SharedKeySet> refreshed(Context&, const SharedKeySet&) override { co_return current_; }

 private:
  SharedKeySet both_ = test_key_set().current();
  SharedKeySet one_ = std::make_shared<const KeySet>(std::vector{*both_->find(test_eddsa_kid)});
  SharedKeySet current_ = both_;
};

// One of the processes that serve over the same store. It remembers tokens and answers by itself.
struct Process {
  Process(KeyValueStore& memory, Scheduler& scheduler, const Setup& setup, RotatingKeys& keys)
      : store(memory, scheduler, setup.traits), service(make_settings(setup.filter_lists), keys, store) {}

  SuspendingStore store;
  Service service;
  BoundedTokenCache tokens{Hash32{}, 4};
  BoundedAnswerMemory answers;
};

// A request on its way. Its context ends with it, whatever the store is still doing for it.
struct InFlight {
  InFlight(Asked what, Moment now, std::uint64_t seed)
      : asked(std::move(what)),
        began(now),
        test(seed),
        correlation_id("run-" + std::to_string(seed)),
        request(asked.method, asked.target, asked.caller->token) {
    request.header("X-Correlation-Id", correlation_id);
    if (!asked.if_match.empty()) request.header("If-Match", asked.if_match);
    if (!asked.if_none_match.empty()) request.header("If-None-Match", asked.if_none_match);
    if (asked.method == "PUT") request.json(asked.body);
  }

  Asked asked;
  Moment began;
  TestContext test;
  std::string correlation_id;
  TestRequest request;
  Request view;
  std::optional<Task<Answer>> task;
};

struct ImportInFlight {
  ImportInFlight(const PlannedImport& plan, std::uint64_t seed) : test(seed), input(plan.document, plan.templates) {}

  TestContext test;
  TextInput input;
  IgnoredProgress progress;
  std::optional<Task<ImportReport>> task;
};

class Run {
 public:
  explicit Run(const Setup& setup)
      : setup_(setup),
        random_(setup.seed),
        scheduler_(random_.next()),
        direct_service_(make_settings(setup.filter_lists), test_key_set(), memory_),
        traffic_(history_, random_, setup.traits.compare_and_swap),
        imports_(history_, random_, setup.size, ordinary_people(), auditor) {
    history_.filters_lists = setup.filter_lists;
    for (int i = 0; i < 2; ++i) processes_.emplace_back(memory_, scheduler_, setup_, keys_);
  }

  Outcome run() {
    load();
    int left = setup_.requests;
    while (!outcome_.complaint && left > 0) {
      const int end = std::max(0, left - requests_between_settlements);
      while (!outcome_.complaint && (left > end || !in_flight_.empty() || !scheduler_.idle())) {
        ++now_;
        if (now_ == outage_ends_) scheduler_.set_outage(false);
        if (now_ == absence_ends_) rotate_keys(true);
        if (left > end && in_flight_.size() < most_in_flight && random_.one_in(4)) {
          --left;
          start_request();
        } else if (!import_ && random_.one_in(60)) {
          start_import();
        } else if (!in_flight_.empty() && random_.one_in(80)) {
          cancel_request();
        } else if (import_ && random_.one_in(500)) {
          end_import();
        } else if (random_.one_in(400)) {
          begin_outage();
        } else if (random_.one_in(400)) {
          rotate_keys(false);
        } else if (!scheduler_.idle()) {
          scheduler_.step();
        }
        take_answers();
        take_import();
      }
      scheduler_.set_outage(false);
      rotate_keys(true);
      finish_import();
      if (!outcome_.complaint) settle();
    }
    return std::move(outcome_);
  }

 private:
  void complain(const std::string& what) {
    if (!outcome_.complaint) outcome_.complaint = what;
  }

  void note(int status, std::string_view body) {
    std::string text = std::to_string(now_) + ' ' + std::to_string(status) + ' ';
    text += body;
    for (const char c : text)
      outcome_.trace = (outcome_.trace ^ static_cast<unsigned char>(c)) * 0x100000001b3;  // FNV-1a
  }

  void load() {
    plan_ = imports_.first();
    TestContext test;
    const auto report = import_text(test.context, memory_, plan_->document, plan_->templates);
    if (!report || report->fault_count > 0) {
      complain("the first import: " + (report ? report->faults.front() : "failed"));
      return;
    }
    end_plan();
    settle();
  }

  // Nobody reaches the store for a while.
  void begin_outage() {
    scheduler_.set_outage(true);
    outage_ends_ = now_ + 20 + random_.below(60);
    ++outcome_.outages;
  }

  void rotate_keys(bool with_the_callers_key) {
    keys_.rotate(with_the_callers_key);
    history_.key_counts.end(history_.key_counts.begin(with_the_callers_key, now_), now_);
    if (with_the_callers_key) return;
    absence_ends_ = now_ + 20 + random_.below(60);
    ++outcome_.rotations;
  }

  [[nodiscard]] std::optional<Fault> perhaps_a_fault(std::size_t one_in, std::size_t accesses) {
    if (!random_.one_in(one_in)) return std::nullopt;
    return Fault{.access = 1 + static_cast<int>(random_.below(accesses)),
                 .failure = random_.one_in(4) ? Failure::corrupt : Failure::unavailable,
                 .steps = random_.pick(steps_before_a_fault)};
  }
  // Where the store cannot swap, two writers at a time may lose a change: docs/ says so, and there is one at a time.
  [[nodiscard]] bool another_writer_may_begin() const {
    if (setup_.traits.compare_and_swap) return true;
    return !import_ && !plan_ && scheduler_.abandoned_writes() == 0 &&
           std::ranges::none_of(in_flight_, [](const auto& flight) { return flight->asked.may_change(); });
  }

  void start_request() {
    Asked asked = traffic_.next(another_writer_may_begin());
    traffic_.begin(asked, now_);
    Process& process = random_.pick(processes_);
    auto& flight = *in_flight_.emplace_back(std::make_unique<InFlight>(std::move(asked), now_, random_.next()));
    flight.test.context.token_cache = &process.tokens;
    flight.test.context.answers = &process.answers;
    scheduler_.plan(flight.test.context, perhaps_a_fault(6, 6));
    flight.view = flight.request.view();
    if (flight.asked.method == "PUT") may_be_audited_.insert(flight.correlation_id);
    flight.task.emplace(ask(flight.test.context, process.service, flight.view));
    flight.task->start([](void*) {}, nullptr);
  }

  void take_answers() {
    for (auto it = in_flight_.begin(); it != in_flight_.end();) {
      if ((*it)->task->done()) {
        take_answer(**it);
        it = in_flight_.erase(it);
      } else {
        ++it;
      }
    }
  }

  void take_answer(InFlight& flight) {
    const bool struck = scheduler_.fault_struck(flight.test.context);
    scheduler_.forget(flight.test.context);
    const auto answer = flight.task->result();
    if (!answer) {
      complain("a short answer broke off: " + flight.asked.target);
      return;
    }
    if (flight.asked.method == "PUT" && answer->status == 200) acknowledged_.insert(flight.correlation_id);
    if (answer->status >= 400 && answer->status < 500) may_be_audited_.erase(flight.correlation_id);
    note(answer->status, answer->body);
    ++outcome_.answers;
    if (answer->was_streamed) ++outcome_.streamed_answers;
    if (answer->status == 401 || answer->status == 403) ++outcome_.refused_answers;
    if (struck && answer->status >= 500) ++outcome_.failed_answers;
    // A store without snapshots shows an import half-way where two values must fit; the service then asks to come back.
    const bool may_be_torn = !setup_.traits.snapshots && last_import_ >= flight.began;
    judge(flight.asked, *answer, {flight.began, now_}, struck || (may_be_torn && answer->status == 503));
  }

  void judge(const Asked& asked, const Answer& answer, Window window, bool struck) {
    if (const auto verdict = traffic_.judge(asked, answer, window, struck)) {
      complain(asked.caller->subject + " " + asked.method + " " + asked.target + " answered " +
               std::to_string(answer.status) + ", asked at " + std::to_string(window.began) + " and answered at " +
               std::to_string(window.ended) + ": " + *verdict);
    }
  }

  void cancel_request() {
    const auto it = std::next(in_flight_.begin(), static_cast<std::ptrdiff_t>(random_.below(in_flight_.size())));
    scheduler_.forget((*it)->test.context);
    in_flight_.erase(it);
    ++outcome_.cancelled;
  }

  // One import at a time; one that failed is run again before another one begins.
  void start_import(bool may_fail = true) {
    if (scheduler_.abandoned_writes() > 0) return;  // perhaps the last import's
    if (!plan_) {
      if (!another_writer_may_begin()) return;
      plan_ = imports_.next(now_);
    }
    last_import_ = never;
    import_ = std::make_unique<ImportInFlight>(*plan_, random_.next());
    scheduler_.plan(import_->test.context, may_fail ? perhaps_a_fault(3, 40) : std::nullopt);
    import_->task.emplace(import_document(import_->test.context, processes_.front().store, import_->input,
                                          plan_->options, import_->progress));
    import_->task->start([](void*) {}, nullptr);
  }

  void take_import() {
    if (!import_ || !import_->task->done()) return;
    const auto report = import_->task->result();
    const bool struck = scheduler_.fault_struck(import_->test.context);
    if (report && report->fault_count > 0) complain("an import was refused: " + report->faults.front());
    if (!report && !struck) complain("an import failed by itself: " + std::string(describe(report.error())));
    end_import();
    if (!report) return;
    end_plan();
    --outcome_.unfinished_imports;
  }

  // Also in the midst of it: then the plan stays, to be run again.
  void end_import() {
    scheduler_.forget(import_->test.context);
    import_.reset();
    ++outcome_.unfinished_imports;
  }

  void end_plan() {
    for (const auto& end : plan_->ends) end(now_);
    plan_.reset();
    last_import_ = now_;
    ++outcome_.imports;
  }

  // Runs what is left of an import to its end, without faults.
  void finish_import() {
    while (!outcome_.complaint && (import_ || plan_ || !scheduler_.idle())) {
      ++now_;
      if (!import_ && scheduler_.idle()) {
        start_import(false);
      } else {
        scheduler_.step();
      }
      take_import();
    }
  }

  Answer ask_directly(const Asked& asked) {
    TestContext test;
    TestRequest request(asked.method, asked.target, asked.caller->token);
    const Request view = request.view();
    auto answer = run_ready(ask(test.context, direct_service_, view));
    if (!answer) complain("a direct answer failed: " + asked.target);
    return answer ? std::move(*answer) : Answer{};
  }

  // Nothing is on its way. Everything is read and judged, and what was in doubt is settled.
  void settle() {
    ++now_;
    if (scheduler_.open_sessions != 0) complain("sessions are left open");
    history_.grants.settle(imports_.grants);
    history_.key_counts.settle(true);
    for (auto& [id, object] : history_.objects) object.settle(imports_.objects.at(id));
    for (auto& [id, third_party] : history_.third_parties) third_party.settle(imports_.third_parties.at(id));
    for (auto& [id, history] : history_.bundles) {
      const auto bundle = imports_.bundles.find(id);
      history.settle(bundle == imports_.bundles.end() ? std::nullopt : std::optional(bundle->second));
    }
    const Caller& reader = traffic_.callers().back();
    const Answer all = ask_directly(traffic_.of(Asked::Kind::list_all, reader));
    if (!traffic_.settle_configurations(all.body, now_)) complain("a configuration that nobody wrote: " + all.body);
    if (outcome_.complaint) return;

    check_audit();
    const auto check = [&](Asked asked) { judge(asked, ask_directly(asked), {now_, now_}, false); };
    using Kind = Asked::Kind;
    for (const auto& [id, object] : history_.objects) {
      for (const Kind kind : {Kind::object, Kind::file}) {
        Asked asked = traffic_.of(kind, reader);
        asked.id = id;
        asked.target = "/api/app/objet-courrier/" + std::to_string(id) + (kind == Kind::file ? "/fichier-modele" : "");
        check(std::move(asked));
      }
    }
    for (const Caller& caller : traffic_.callers()) {
      check(traffic_.of(Kind::page, caller));
      check(traffic_.of(Kind::own_list, caller));
      if (caller.has_dashboard) check(traffic_.of(Kind::managed_list, caller));
      for (const auto& [id, bundle] : history_.bundles) {
        Asked asked = traffic_.of(Kind::bundle, caller);
        asked.method = "HEAD";
        asked.bundle = id;
        asked.target = "/api/app/liasse/" + id;
        check(std::move(asked));
      }
    }
  }

  // Every acknowledged PUT has one record that is named, no request has two, and none was refused or never sent.
  void check_audit() {
    const std::vector<std::string> audited = audited_requests(memory_);
    const std::set<std::string> different(audited.begin(), audited.end());
    if (different.size() != audited.size()) complain("a request that was audited twice");
    for (const std::string& id : acknowledged_) {
      if (!different.contains(id)) complain("an acknowledged PUT that is not in the audit: " + id);
    }
    for (const std::string& id : audited) {
      if (!may_be_audited_.contains(id)) complain("an audited request that was refused, or never sent: " + id);
    }
  }

  Setup setup_;
  SeededRandom random_;
  Scheduler scheduler_;
  MemoryStore memory_;
  RotatingKeys keys_;
  std::deque<Process> processes_;
  Service direct_service_;
  PortalHistory history_;
  Traffic traffic_;
  RandomImports imports_;

  Moment now_ = 0;
  std::list<std::unique_ptr<InFlight>> in_flight_;
  std::set<std::string> acknowledged_;    // correlation ids of PUTs that were answered 200
  std::set<std::string> may_be_audited_;  // correlation ids of PUTs that were sent and not refused
  std::optional<PlannedImport> plan_;     // the import that is running, or is to be run again
  std::unique_ptr<ImportInFlight> import_;
  Moment outage_ends_ = never;
  Moment absence_ends_ = never;
  Moment last_import_ = 0;  // when the last one ended; never, while one is unfinished
  Outcome outcome_;
};

}  // namespace

Outcome simulate(const Setup& setup) { return Run(setup).run(); }

}  // namespace portail::simulation
