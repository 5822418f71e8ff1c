// The oracle's portal over time: what every part of it may be in a window of time, and so which answers are right.
// One thread.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/history.hpp"
#include "tests/simulation/oracle.hpp"

namespace portail::simulation {

struct Window {
  Moment began = 0;
  Moment ended = 0;
};

// Who asks.
struct Caller {
  std::string subject;
  std::string token;
  bool may_update = false;  // where it is granted, as the dashboard
  bool sees_derogated = false;
  bool has_dashboard = false;
};

// One thing that may be in an answer, or, without a text, that it may be left out.
struct Choice {
  std::optional<std::string> text;
  std::pair<int, std::string> order;  // within a list
  friend bool operator==(const Choice&, const Choice&) = default;
};

// How many deposits a person may have seen of a bundle.
class Consulted {
 public:
  std::size_t begin(Moment now);
  // The reading was answered, having seen from `low` to `high` deposits; `sure` where nothing kept it from being noted.
  void end(std::size_t reading, Moment now, int low, int high, bool sure);
  void undo(std::size_t reading);
  // Both may be, when others read at the same time.
  [[nodiscard]] bool may_be_new(int deposits, Window window) const;
  [[nodiscard]] bool may_be_seen(int deposits, Window window) const;

 private:
  struct Reading {
    Moment began;
    Moment ended;
    int low;
    int high;
    bool sure;
  };
  std::vector<Reading> readings_;
};

// Whether one of the values that may be found in that time is so.
template <class T, class Condition>
bool any_of(const History<T>& history, Window window, Condition condition) {
  const auto values = history.possible(window.began, window.ended);
  return std::ranges::any_of(values, [&](T value) -> bool { return std::invoke(condition, value); });
}

struct PortalHistory {
  std::map<int, History<std::optional<MailObject>>> objects;
  std::map<int, History<std::optional<Configuration>>> configurations;
  std::map<std::string, History<std::optional<ThirdParty>>> third_parties;
  std::map<std::string, History<std::optional<Bundle>>> bundles;
  std::map<std::pair<std::string, std::string>, Consulted> consulted;  // by subject and bundle
  History<Granted> grants{Granted{}};
  History<bool> key_counts{true};  // the key that the callers' tokens are signed with
  bool filters_lists = false;

  // The mail object's answers; without a text: 404.
  [[nodiscard]] std::vector<Choice> mail_object(int id, Window window) const;
  // The template's answers, likewise.
  [[nodiscard]] std::vector<Choice> template_file(int id, Window window) const;
  // The bundle in that list; without a text: not in it.
  enum class List { own, managed };
  [[nodiscard]] std::vector<Choice> bundle_in_list(const std::string& id, List list, const Caller& caller,
                                                   Window window) const;
  // GET by id: which statuses, and which texts.
  struct ById {
    std::set<int> statuses;
    std::vector<Choice> choices;
    int fewest_deposits = 0;
    int most_deposits = 0;
  };
  [[nodiscard]] ById bundle_by_id(const std::string& id, const Caller& caller, Window window) const;

 private:
  [[nodiscard]] std::vector<SeenObject> seen_objects(int id, Window window) const;
  void add_bundle_choices(std::vector<Choice>& choices, const std::string& id, const Bundle& bundle,
                          const ThirdParty& third_party, const Caller& caller, bool leave_out_derogated,
                          Window window) const;
};

}  // namespace portail::simulation
