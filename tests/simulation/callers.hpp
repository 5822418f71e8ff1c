// The callers of the simulation, and their tokens, which expire while it runs. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/simulation/history.hpp"
#include "tests/simulation/portal_history.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail::simulation {

std::vector<Caller> make_callers();
// The possible subjects of third parties, and their manager.
std::vector<std::string> ordinary_people();
inline constexpr const char* auditor = "auditor";

inline constexpr int leeway_seconds = 5;  // of exp and nbf, set in the service

// A token that the service must accept from one step on, until another.
struct TimedToken {
  std::string text;
  Moment from = 0;
  Moment until = never;

  [[nodiscard]] bool may_be_valid(Window window) const { return from <= window.ended && window.began < until; }
  [[nodiscard]] bool may_be_invalid(Window window) const { return window.began < from || window.ended >= until; }
};

// Returns a token that is valid during the whole run.
TimedToken lasting_token(const Caller& caller);

// The callers' current tokens. A caller often, but not always, renews an expired token.
class Wallet {
 public:
  explicit Wallet(SeededRandom& random) : random_(random) {}
  const TimedToken& token_of(const Caller& caller, Moment now);

 private:
  TimedToken issue(const Caller& caller, Moment now);

  SeededRandom& random_;
  std::map<std::string, TimedToken> tokens_;  // by subject
};

}  // namespace portail::simulation
