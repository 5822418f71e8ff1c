#include "tests/simulation/portal_history.hpp"

#include <algorithm>
#include <limits>

namespace portail::simulation {
namespace {

void add(std::vector<Choice>& choices, Choice choice) {
  if (std::ranges::find(choices, choice) == choices.end()) choices.push_back(std::move(choice));
}

template <class Key, class T>
std::vector<T> possible(const std::map<Key, History<T>>& histories, const Key& key, Window window) {
  const auto found = histories.find(key);
  if (found == histories.end()) return {T{}};
  return found->second.possible(window.began, window.ended);
}

}  // namespace

std::size_t ConsultationHistory::begin(Moment now) {
  reads_.push_back({now, never, 0, std::numeric_limits<int>::max(), false});
  return reads_.size() - 1;
}

void ConsultationHistory::end(std::size_t reading, Moment now, int low, int high, bool sure) {
  reads_[reading] = {reads_[reading].began, now, low, high, sure};
}

void ConsultationHistory::undo(std::size_t reading) { reads_[reading] = {0, 0, 0, 0, false}; }

bool ConsultationHistory::may_be_new(int deposits, Window window) const {
  return deposits > 0 && std::ranges::none_of(reads_, [&](const ConsultationRead& reading) {
           return reading.sure && reading.ended < window.began && reading.low >= deposits;
         });
}

bool ConsultationHistory::may_be_seen(int deposits, Window window) const {
  return deposits == 0 || std::ranges::any_of(reads_, [&](const ConsultationRead& reading) {
           return reading.began <= window.ended && reading.high >= deposits;
         });
}

std::vector<ConfiguredObject> PortalHistory::configured_objects(int id, Window window) const {
  std::vector<ConfiguredObject> configured;
  for (const auto& object : possible(objects, id, window)) {
    for (const auto& configuration : possible(configurations, id, window)) {
      if (object && configuration) configured.push_back({*object, *configuration});
    }
  }
  return configured;
}

std::vector<Choice> PortalHistory::mail_object(int id, Window window) const {
  std::vector<Choice> choices;
  for (const ConfiguredObject& configured : configured_objects(id, window)) {
    add(choices, {mail_object_json(id, configured), {id, configured.object.type}});
  }
  for (const auto& object : possible(objects, id, window)) {
    if (!object) add(choices, {});
  }
  return choices;
}

std::vector<Choice> PortalHistory::template_file(int id, Window window) const {
  std::vector<Choice> choices;
  for (const auto& object : possible(objects, id, window)) {
    add(choices, object && object->file ? Choice{object->file->bytes, {}} : Choice{});
  }
  return choices;
}

void PortalHistory::add_bundle_choices(std::vector<Choice>& choices, const std::string& id, const Bundle& bundle,
                                       const ThirdParty& third_party, const Caller& caller, bool omit_derogated,
                                       Window window) const {
  // Every combination of the possible states of its mail objects.
  std::vector<std::map<int, ConfiguredObject>> combinations(1);
  for (const Piece& piece : bundle.pieces) {
    if (combinations.front().contains(piece.object)) continue;
    std::vector<std::map<int, ConfiguredObject>> longer;
    for (const ConfiguredObject& configured : configured_objects(piece.object, window)) {
      for (auto combination : combinations) {
        combination.emplace(piece.object, configured);
        longer.push_back(std::move(combination));
      }
    }
    combinations = std::move(longer);
    if (combinations.empty()) return;  // not imported yet
  }
  const auto found = consulted.find({caller.subject, id});
  const ConsultationHistory nothing;
  const ConsultationHistory& readings = found == consulted.end() ? nothing : found->second;
  for (const auto& objects_seen : combinations) {
    for (const bool deposited_since : {false, true}) {
      if (deposited_since ? !readings.may_be_new(bundle.deposits, window)
                          : !readings.may_be_seen(bundle.deposits, window)) {
        continue;
      }
      add(choices,
          {bundle_json(id, bundle, third_party, objects_seen, deposited_since, omit_derogated), {-bundle.minute, id}});
    }
  }
}

std::vector<Choice> PortalHistory::bundle_in_list(const std::string& id, List list, const Caller& caller,
                                                  Window window) const {
  std::vector<Choice> choices;
  if (any_of(index_is_current, window, std::logical_not())) add(choices, {});
  for (const auto& bundle : possible(bundles, id, window)) {
    if (!bundle) {
      add(choices, {});
      continue;
    }
    for (const auto& third_party : possible(third_parties, bundle->third_party, window)) {
      const bool is_theirs =
          third_party && (list == List::own ? third_party->users : third_party->managers).contains(caller.subject);
      if (is_theirs) {
        add_bundle_choices(choices, id, *bundle, *third_party, caller, filters_lists && !caller.sees_derogated, window);
      } else {
        add(choices, {});
      }
    }
  }
  return choices;
}

PortalHistory::ById PortalHistory::bundle_by_id(const std::string& id, const Caller& caller, Window window) const {
  ById result;
  result.min_deposits = std::numeric_limits<int>::max();
  for (const auto& bundle : possible(bundles, id, window)) {
    if (!bundle) {
      result.statuses.insert(404);
      continue;
    }
    for (const auto& third_party : possible(third_parties, bundle->third_party, window)) {
      const bool is_user = third_party && third_party->users.contains(caller.subject);
      const bool manages = third_party && caller.has_dashboard && third_party->managers.contains(caller.subject);
      const bool may_lack_grant = any_of(grants, window, [](Granted granted) { return !granted.dashboard; });
      const bool may_have_grant = any_of(grants, window, [](Granted granted) { return granted.dashboard; });
      if (!is_user && (!manages || may_lack_grant)) result.statuses.insert(403);
      if (!is_user && !(manages && may_have_grant)) continue;
      result.statuses.insert(200);
      result.min_deposits = std::min(result.min_deposits, bundle->deposits);
      result.max_deposits = std::max(result.max_deposits, bundle->deposits);
      add_bundle_choices(result.choices, id, *bundle, *third_party, caller, !caller.sees_derogated, window);
    }
  }
  return result;
}

}  // namespace portail::simulation
