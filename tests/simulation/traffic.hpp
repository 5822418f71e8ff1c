// Random requests, and the verdict on their answers: whether the portal may have answered so in the time between
// request and answer. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/callers.hpp"
#include "tests/simulation/page_verdict.hpp"
#include "tests/simulation/portal_history.hpp"
#include "tests/simulation/suspending_store.hpp"
#include "tests/support/seeded_random.hpp"
#include "tests/support/test_request.hpp"

namespace portail::simulation {

// A request, and the data to judge its answer.
struct PlannedRequest {
  enum class Kind { page, list_all, object, file, update, own_list, managed_list, bundle, other };
  Kind kind = Kind::other;
  std::string method = "GET";
  std::string target;
  const Caller* caller = nullptr;
  TimedToken token;
  int id = 0;                                  // of a mail object
  std::string bundle;                          // an id
  PageRequest page;                            // of Kind::page
  std::optional<Configuration> configuration;  // of a PUT
  std::string body;
  BodyPlan body_plan;
  std::string if_match;
  std::string if_none_match;
  int expected_status = 200;  // of Kind::other, and of a PUT that is refused in any state of the portal

  std::size_t write = 0;    // the PUT in the model's history
  std::size_t reading = 0;  // the consultation in the model's history
  [[nodiscard]] bool counts_as_consultation() const { return kind == Kind::bundle && method == "GET"; }
  [[nodiscard]] bool may_change() const { return kind == Kind::update && expected_status == 200; }
  [[nodiscard]] bool needs_token() const { return target.starts_with("/api/app/"); }
};

// What happened to a request besides its answer.
struct Events {
  bool had_fault = false;              // an access failed
  bool had_failed_refresh = false;     // of the keys, for its token
  std::optional<Moment> body_arrived;  // completely
};

class Traffic {
 public:
  // `consultations_are_sure`: of two concurrent consultations both are recorded.
  Traffic(PortalHistory& history, SeededRandom& random, bool consultations_are_sure)
      : history_(history),
        random_(random),
        callers_(make_callers()),
        wallet_(random),
        consultations_are_sure_(consultations_are_sure) {}

  // Returns a random request; `with_updates` is false while another writer must not be disturbed.
  PlannedRequest next(bool with_updates, Moment now);
  PlannedRequest of(PlannedRequest::Kind kind, const Caller& caller);
  static void set_selection(PlannedRequest& planned, Selection selection);
  // Begins the request in the model. Its effects are possible until judge() is called.
  void begin(PlannedRequest& planned, Moment now);
  // Ends the request in the model, and returns the fault of the answer, if any.
  std::optional<std::string> judge(const PlannedRequest& planned, const Answer& answer, Window window, Events events);

  [[nodiscard]] const std::vector<Caller>& callers() const { return callers_; }
  // Sets the configurations from an answer of the complete list while no write is in flight.
  bool settle_configurations(const std::string& list_all, Moment now);

 private:
  std::optional<std::string> judge_success(const PlannedRequest& planned, const Answer& answer, const std::string& body,
                                           Window window, Events events);
  std::optional<std::string> judge_refused_token(const PlannedRequest& planned, const Answer& answer, Window window,
                                                 Events events);
  std::optional<std::string> judge_update(const PlannedRequest& planned, const Answer& answer, Window window,
                                          Events events);
  std::optional<std::string> judge_bundle(const PlannedRequest& planned, const Answer& answer, const std::string& body,
                                          Window window, bool had_fault);
  std::optional<std::string> record_tag(const PlannedRequest& planned, const Answer& answer);
  [[nodiscard]] std::string name_of(const PlannedRequest& planned) const {
    return planned.caller->subject + " " + planned.target;
  }
  [[nodiscard]] bool may_be_accepted(const PlannedRequest& planned, Window window) const;
  [[nodiscard]] bool may_be_refused(const PlannedRequest& planned, Window window, Events events) const;
  template <class Map>
  auto some_id(const Map& map);

  PortalHistory& history_;
  SeededRandom& random_;
  std::vector<Caller> callers_;
  Wallet wallet_;
  bool consultations_are_sure_;
  std::map<std::string, std::map<std::string, std::string>> bodies_;  // by caller and target, then by tag
  std::map<std::string, std::string> fixed_bodies_;                   // of Kind::other, by caller and target
};

}  // namespace portail::simulation
