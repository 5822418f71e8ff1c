#include "tests/simulation/simulation.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "core/api/service.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/simulation/audit_oracle.hpp"
#include "tests/simulation/import_runner.hpp"
#include "tests/simulation/in_flight.hpp"
#include "tests/simulation/random_import.hpp"
#include "tests/simulation/rotating_keys.hpp"
#include "tests/simulation/scheduler.hpp"
#include "tests/simulation/step_clock.hpp"
#include "tests/simulation/traffic.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {
namespace {

constexpr std::size_t max_in_flight = 16;
constexpr int requests_between_settlements = 200;
constexpr std::array failures{Failure::unavailable, Failure::unavailable, Failure::corrupt, Failure::cancelled};
constexpr std::array steps_before_a_fault{0, 0, 0, all_steps, all_steps, 1, 2, 5};

Settings make_settings(bool filter_lists) {
  Settings settings;
  settings.tokens = test_token_settings();
  settings.tokens.leeway_seconds = leeway_seconds;
  settings.filter_lists = filter_lists;
  return settings;
}

class Run {
 public:
  explicit Run(const Setup& setup)
      : setup_(setup),
        random_(setup.seed),
        scheduler_(random_.next()),
        import_store_(memory_, scheduler_, setup.traits),
        direct_service_(make_settings(setup.filter_lists), test_key_set(), memory_),
        traffic_(history_, random_, setup.traits.compare_and_swap),
        imports_(history_, random_, setup.size, ordinary_people(), auditor),
        runner_(memory_, import_store_, scheduler_, clock_, random_, history_, imports_, audit_),
        exports_(memory_, scheduler_, setup.traits, clock_, runner_, audit_) {
    history_.filters_lists = setup.filter_lists;
    for (int i = 0; i < 2; ++i)
      processes_.emplace_back(memory_, scheduler_, setup, make_settings(setup.filter_lists), keys_);
  }

  Outcome run() {
    load();
    int remaining = setup_.requests;
    while (!outcome_.failure && remaining > 0) {
      const int end = std::max(0, remaining - requests_between_settlements);
      while (!outcome_.failure && (remaining > end || !in_flight_.empty() || !scheduler_.idle())) {
        ++now_;
        if (now_ == outage_ends_) scheduler_.set_outage(false);
        if (now_ == absence_ends_) publish_key(random_.one_in(2));
        if (remaining > end && in_flight_.size() < max_in_flight && random_.one_in(4)) {
          --remaining;
          start_request();
        } else if (random_.one_in(runner_.is_running() ? 100 : 40)) {
          start_import(perhaps_a_fault(3, 40));
        } else if (runner_.is_running() && random_.one_in(150)) {
          runner_.lose_lock();
        } else if (!in_flight_.empty() && random_.one_in(80)) {
          cancel_request();
        } else if (setup_.has_editions && random_.one_in(20)) {
          end_a_wait();
        } else if (runner_.is_running() && random_.one_in(400)) {
          runner_.cancel();
        } else if (random_.one_in(400)) {
          begin_outage();
        } else if (random_.one_in(400)) {
          withdraw_key();
        } else if (setup_.has_exports && random_.one_in(20)) {
          exports_.start(random_.next(), perhaps_a_fault(6, 20));
        } else if (!scheduler_.idle()) {
          scheduler_.step();
        }
        complete_requests();
        complete_imports();
      }
      scheduler_.set_outage(false);
      publish_key(true);
      finish_import();
      if (!outcome_.failure) settle();
    }
    outcome_.imports = runner_.counts;
    outcome_.exports = exports_.counts;
    outcome_.refreshes = keys_.successful_refreshes;
    outcome_.failed_refreshes = keys_.failed_refreshes;
    return std::move(outcome_);
  }

 private:
  void report_failure(const std::string& what) {
    if (!outcome_.failure) outcome_.failure = what;
  }

  void note(int status, std::string_view body) {
    std::string text = std::to_string(now_) + ' ' + std::to_string(status) + ' ';
    text += body;
    for (const char c : text)
      outcome_.trace = (outcome_.trace ^ static_cast<unsigned char>(c)) * 0x100000001b3;  // FNV-1a
  }

  void load() {
    runner_.load();
    complete_imports();
    if (!outcome_.failure) settle();
  }

  // All accesses to the store fail for a while.
  void begin_outage() {
    scheduler_.set_outage(true);
    outage_ends_ = now_ + 20 + random_.below(60);
    ++outcome_.outages;
  }

  void withdraw_key() {
    keys_.withdraw();
    history_.key_counts.end(history_.key_counts.begin(false, now_), now_);
    absence_ends_ = now_ + 20 + random_.below(60);
    ++outcome_.rotations;
  }

  void publish_key(bool is_known) {
    keys_.publish(is_known);
    history_.key_counts.end(history_.key_counts.begin(true, now_), now_);
  }

  [[nodiscard]] std::optional<Fault> perhaps_a_fault(std::size_t one_in, std::size_t accesses) {
    if (!random_.one_in(one_in)) return std::nullopt;
    return Fault{.access = 1 + static_cast<int>(random_.below(accesses)),
                 .failure = random_.pick(failures),
                 .steps = random_.pick(steps_before_a_fault)};
  }
  // Without compare-and-swap, two concurrent writers may lose a change, as documented; so only one writes at a time.
  [[nodiscard]] bool can_start_writer() const {
    if (setup_.traits.compare_and_swap) return true;
    return !runner_.is_incomplete() && scheduler_.abandoned_writes() == 0 &&
           std::ranges::none_of(in_flight_, [](const auto& flight) { return flight->planned.may_change(); });
  }

  void start_request() {
    PlannedRequest planned = traffic_.next(can_start_writer(), now_);
    traffic_.begin(planned, now_);
    Process& process = random_.pick(processes_);
    auto& flight =
        *in_flight_.emplace_back(std::make_unique<InFlight>(std::move(planned), clock_, scheduler_, random_.next()));
    scheduler_.plan(flight.test.context, perhaps_a_fault(6, 6));
    if (flight.planned.may_change()) {
      audit_.puts[flight.correlation_id] = {.subject = flight.planned.caller->subject,
                                            .object = flight.planned.id,
                                            .to = *flight.planned.configuration,
                                            .window = {.began = now_, .ended = never}};
    }
    flight.start(process);
  }

  void complete_requests() {
    for (auto it = in_flight_.begin(); it != in_flight_.end();) {
      if ((*it)->task->done()) {
        complete_request(**it);
        it = in_flight_.erase(it);
      } else {
        ++it;
      }
    }
  }

  void complete_request(InFlight& flight) {
    const Context& context = flight.test.context;
    Events events{.had_fault = scheduler_.fault_struck(context),
                  .had_failed_refresh = keys_.refresh_failed(context),
                  .body_arrived = flight.body ? flight.body->arrived() : std::nullopt};
    forget(flight);
    const auto answer = flight.task->result();
    if (!answer) {
      report_failure("a short answer broke off: " + flight.planned.target);
      return;
    }
    if (const auto put = audit_.puts.find(flight.correlation_id); put != audit_.puts.end()) {
      put->second.is_acknowledged = answer->status == 200;
      put->second.is_refused = answer->status >= 400 && answer->status < 500;
    }
    note(answer->status, answer->body);
    outcome_.waits += flight.suspension.count;
    ++outcome_.answers;
    if (answer->was_streamed) ++outcome_.streamed_answers;
    if (answer->status == 200 && !flight.planned.page.selection.order.empty()) ++outcome_.sorted_pages;
    if (answer->status == 200 && !flight.planned.page.selection.filter.empty()) ++outcome_.filtered_pages;
    if (answer->status == 401 || answer->status == 403) ++outcome_.refused_answers;
    if (events.had_fault && answer->status >= 500) ++outcome_.failed_answers;
    count_waits(flight, *answer);
    // A store without snapshots may show an incomplete import; the service then answers 503 with Retry-After.
    const bool may_be_torn = !setup_.traits.snapshots && runner_.last_end() >= flight.began;
    events.had_fault = events.had_fault || (may_be_torn && answer->status == 503);
    judge(flight.planned, *answer, {flight.began, now_}, events);
  }

  // Removes the request from what refers to its context.
  void forget(const InFlight& flight) {
    const auto put = audit_.puts.find(flight.correlation_id);
    if (put != audit_.puts.end()) put->second.window.ended = now_;
    scheduler_.remove_request(flight.test.context);
    keys_.forget(flight.test.context);
  }

  void count_waits(const InFlight& flight, const Answer& answer) {
    const Window window{flight.began, now_};
    if (answer.status == 401 && flight.planned.token.may_be_invalid(window)) ++outcome_.expired_answers;
    if (!flight.body) return;
    if (flight.body->waits() > 2) ++outcome_.suspended_bodies;
    if (flight.body->was_cut()) ++outcome_.cut_bodies;
    if (flight.body->held_a_session()) report_failure("a session is open while a body arrives");
  }

  void judge(const PlannedRequest& planned, const Answer& answer, Window window, Events events) {
    if (const auto verdict = traffic_.judge(planned, answer, window, events)) {
      report_failure(planned.caller->subject + " " + planned.method + " " + planned.target + " answered " +
                     std::to_string(answer.status) + ", sent at " + std::to_string(window.began) + " and answered at " +
                     std::to_string(window.ended) + ": " + *verdict);
    }
  }

  void cancel_request() {
    const auto it = std::next(in_flight_.begin(), static_cast<std::ptrdiff_t>(random_.below(in_flight_.size())));
    forget(**it);
    in_flight_.erase(it);
    ++outcome_.cancelled;
  }

  // As after the timeout of a wait for another request's check.
  void end_a_wait() {
    const auto waiting =
        std::ranges::find_if(in_flight_, [](const auto& flight) { return flight->suspension.is_suspended(); });
    if (waiting == in_flight_.end()) return;
    (*waiting)->suspension.wake();
    ++outcome_.ended_waits;
  }

  void start_import(std::optional<Fault> fault) {
    if (runner_.is_incomplete() || can_start_writer()) runner_.start(fault);
  }

  // Completes the current import without faults.
  void finish_import() {
    while (!outcome_.failure && (runner_.is_incomplete() || !scheduler_.idle())) {
      ++now_;
      if (!runner_.is_running() && scheduler_.idle()) {
        start_import(std::nullopt);
      } else {
        scheduler_.step();
      }
      complete_imports();
    }
  }

  void complete_imports() {
    runner_.complete();
    if (runner_.failure) report_failure(*runner_.failure);
    if (!setup_.has_exports) return;
    exports_.complete();
    if (exports_.failure) report_failure(*exports_.failure);
  }

  Answer send_directly(const PlannedRequest& planned) {
    TestContext test(clock_, 1);
    TestRequest request(planned.method, planned.target, planned.token.text);
    const Request view = request.view();
    auto answer = run_ready(serve(test.context, direct_service_, view));
    if (!answer) report_failure("a direct answer failed: " + planned.target);
    return answer ? std::move(*answer) : Answer{};
  }

  template <class Histories, class Map>
  static void settle_each(Histories& histories, const Map& present) {
    for (auto& [id, history] : histories) {
      const auto found = present.find(id);
      history.settle(found == present.end() ? std::nullopt : std::optional(found->second));
    }
  }

  // Checks all data while no request is in flight, and determines the values that were uncertain.
  void settle() {
    ++now_;
    if (scheduler_.open_sessions != 0) report_failure("sessions are left open");
    for (const Process& process : processes_) {
      if (process.store.nested_sessions > 0) report_failure("a request opened a session while it held another one");
    }
    history_.grants.settle(imports_.grants);
    history_.key_counts.settle(true);
    history_.index_is_current.settle(true);
    settle_each(history_.objects, imports_.objects);
    settle_each(history_.third_parties, imports_.third_parties);
    settle_each(history_.bundles, imports_.bundles);
    const Caller& reader = traffic_.callers().back();
    const Answer all = send_directly(traffic_.of(PlannedRequest::Kind::list_all, reader));
    if (!traffic_.settle_configurations(all.body, now_))
      report_failure("a configuration that was never written: " + all.body);
    if (outcome_.failure) return;

    check_audit();
    const auto check = [&](PlannedRequest planned) { judge(planned, send_directly(planned), {now_, now_}, {}); };
    using Kind = PlannedRequest::Kind;
    for (const auto& [id, object] : history_.objects) {
      for (const Kind kind : {Kind::object, Kind::file}) {
        PlannedRequest planned = traffic_.of(kind, reader);
        planned.id = id;
        planned.target =
            "/api/app/objet-courrier/" + std::to_string(id) + (kind == Kind::file ? "/fichier-modele" : "");
        check(std::move(planned));
      }
    }
    for (const Caller& caller : traffic_.callers()) {
      check(traffic_.of(Kind::page, caller));
      check(traffic_.of(Kind::own_list, caller));
      if (caller.has_dashboard) check(traffic_.of(Kind::managed_list, caller));
      for (const auto& [id, bundle] : history_.bundles) {
        PlannedRequest planned = traffic_.of(Kind::bundle, caller);
        planned.method = "HEAD";
        planned.bundle = id;
        planned.target = "/api/app/liasse/" + id;
        check(std::move(planned));
      }
    }
  }

  void check_audit() {
    std::map<int, Configuration> configurations;
    for (const auto& [id, history] : history_.configurations) {
      const auto settled = history.possible(now_, now_).front();
      if (settled) configurations.emplace(id, *settled);
    }
    if (const auto wrong = audit_.check(memory_, configurations, grant_texts(imports_.grants))) report_failure(*wrong);
  }

  Setup setup_;
  SeededRandom random_;
  Scheduler scheduler_;
  MemoryStore memory_;
  SuspendingStore import_store_;
  RotatingKeys keys_{scheduler_};
  StepClock clock_;
  Moment& now_ = clock_.step;
  std::deque<Process> processes_;
  Service direct_service_;
  PortalHistory history_;
  Traffic traffic_;
  RandomImports imports_;
  AuditOracle audit_;
  ImportRunner runner_;
  ExportRunner exports_;

  std::list<std::unique_ptr<InFlight>> in_flight_;
  Moment outage_ends_ = never;
  Moment absence_ends_ = never;
  Outcome outcome_;
};

}  // namespace

Outcome simulate(const Setup& setup) { return Run(setup).run(); }

}  // namespace portail::simulation
