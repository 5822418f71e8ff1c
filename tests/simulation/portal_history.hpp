// The model's portal over time: the possible states of every part in a window of time, and the valid answers. One
// thread.
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

// The caller of a request.
struct Caller {
  std::string subject;
  std::vector<std::string> roles{};
  std::vector<std::string> permissions{};
  bool may_update = false;  // by a grant, like has_dashboard
  bool sees_derogated = false;
  bool has_dashboard = false;
};

// One possible element of an answer; without a text, the element may be absent.
struct Choice {
  std::optional<std::string> text;
  std::pair<int, std::string> order;  // within a list
  friend bool operator==(const Choice&, const Choice&) = default;
};

// The possible counts of deposits that a person has seen of a bundle.
class ConsultationHistory {
 public:
  std::size_t begin(Moment now);
  // Records an answered consultation of `low` to `high` deposits; `sure` if no fault could prevent its write.
  void end(std::size_t reading, Moment now, int low, int high, bool sure);
  void undo(std::size_t reading);
  // Both may be true, with concurrent consultations.
  [[nodiscard]] bool may_be_new(int deposits, Window window) const;
  [[nodiscard]] bool may_be_seen(int deposits, Window window) const;

 private:
  struct ConsultationRead {
    Moment began;
    Moment ended;
    int low;
    int high;
    bool sure;
  };
  std::vector<ConsultationRead> reads_;
};

// Whether one of the possible values in that time fulfils the condition.
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
  std::map<std::pair<std::string, std::string>, ConsultationHistory> consulted;  // by subject and bundle
  History<Granted> grants{Granted{}};
  History<bool> key_counts{true};        // the key that signs the callers' tokens
  History<bool> index_is_current{true};  // of persons' bundles; otherwise a list may lack elements
  bool filters_lists = false;

  // The states of the mail object while it was there.
  [[nodiscard]] std::vector<ConfiguredObject> configured_objects(int id, Window window) const;
  // The valid answers for the mail object; without a text: 404.
  [[nodiscard]] std::vector<Choice> mail_object(int id, Window window) const;
  // The valid answers for the template file; without a text: 404.
  [[nodiscard]] std::vector<Choice> template_file(int id, Window window) const;
  // The bundle's valid forms in that list; without a text: absent.
  enum class List { own, managed };
  [[nodiscard]] std::vector<Choice> bundle_in_list(const std::string& id, List list, const Caller& caller,
                                                   Window window) const;
  // The valid statuses and texts of a GET by id.
  struct ById {
    std::set<int> statuses;
    std::vector<Choice> choices;
    int min_deposits = 0;
    int max_deposits = 0;
  };
  [[nodiscard]] ById bundle_by_id(const std::string& id, const Caller& caller, Window window) const;

 private:
  void add_bundle_choices(std::vector<Choice>& choices, const std::string& id, const Bundle& bundle,
                          const ThirdParty& third_party, const Caller& caller, bool omit_derogated,
                          Window window) const;
};

}  // namespace portail::simulation
