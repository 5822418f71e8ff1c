// Requests made by chance, and the verdict on their answers: is this what the portal may have answered in the time
// between the request and the answer? One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/portal_history.hpp"
#include "tests/support/answer.hpp"
#include "tests/support/seeded_random.hpp"
#include "tests/support/test_request.hpp"

namespace portail::simulation {

std::vector<Caller> make_callers();
// The subjects that third parties may name, and the one that manages them all.
std::vector<std::string> ordinary_people();
inline constexpr const char* auditor = "auditor";

// One request, and what its answer is judged by.
struct Asked {
  enum class Kind { page, list_all, object, file, update, own_list, managed_list, bundle, other };
  Kind kind = Kind::other;
  std::string method = "GET";
  std::string target;
  const Caller* caller = nullptr;
  int id = 0;          // of a mail object
  std::string bundle;  // an id
  int skip = 0;
  int count = 10;
  std::optional<Configuration> configuration;  // what a PUT wants
  std::string body;
  std::string if_match;
  std::string if_none_match;
  int expected_status = 200;  // of Kind::other, and of a PUT that is refused whatever the portal holds

  std::size_t write = 0;    // the PUT in the oracle's history
  std::size_t reading = 0;  // the consultation, likewise
  [[nodiscard]] bool counts_as_consultation() const { return kind == Kind::bundle && method == "GET"; }
  [[nodiscard]] bool may_change() const { return kind == Kind::update && expected_status == 200; }
  [[nodiscard]] bool needs_token() const { return target.starts_with("/api/app/"); }
};

class Traffic {
 public:
  // `consultations_are_sure`: two that race are both noted.
  Traffic(PortalHistory& history, SeededRandom& random, bool consultations_are_sure)
      : history_(history), random_(random), callers_(make_callers()), consultations_are_sure_(consultations_are_sure) {}

  // What a request of that time asks; `with_updates` is false where another writer must be left alone.
  Asked next(bool with_updates);
  Asked of(Asked::Kind kind, const Caller& caller);
  // Tells the oracle that it begins. What was begun stays possible for as long as nothing more is heard of it.
  void begin(Asked& asked, Moment now);
  // Tells the oracle how it ended, and says what is wrong with the answer, if anything. `struck`: an access failed.
  std::optional<std::string> judge(const Asked& asked, const Answer& answer, Window window, bool struck);

  [[nodiscard]] const std::vector<Caller>& callers() const { return callers_; }
  // Nothing is being written: what an answer of the whole list says is what the configurations are.
  bool settle_configurations(const std::string& list_all, Moment now);

 private:
  std::optional<std::string> judge_success(const Asked& asked, const Answer& answer, const std::string& body,
                                           Window window);
  std::optional<std::string> judge_refused_token(const Asked& asked, const Answer& answer, Window window);
  std::optional<std::string> judge_update(const Asked& asked, const Answer& answer, Window window);
  std::optional<std::string> judge_bundle(const Asked& asked, const Answer& answer, const std::string& body,
                                          Window window, bool struck);
  std::optional<std::string> judge_page(const Asked& asked, const std::string& body, Window window);
  std::optional<std::string> remember_tag(const Asked& asked, const Answer& answer);
  [[nodiscard]] std::string name_of(const Asked& asked) const { return asked.caller->subject + " " + asked.target; }
  template <class Map>
  auto some_id(const Map& map);

  PortalHistory& history_;
  SeededRandom& random_;
  std::vector<Caller> callers_;
  bool consultations_are_sure_;
  std::map<std::string, std::map<std::string, std::string>> bodies_;  // by caller and target, then by tag
  std::map<std::string, std::string> fixed_bodies_;                   // of Kind::other, by caller and target
};

}  // namespace portail::simulation
