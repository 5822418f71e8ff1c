#include "tests/simulation/page_verdict.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "tests/simulation/json_elements.hpp"

namespace portail::simulation {
namespace {

// The states of one mail object in the time of the request.
struct Candidate {
  std::vector<Listed> matching;
  bool is_certain = false;  // it was there and matched all the time
};

std::vector<Candidate> candidates_of(const PortalHistory& history, const Selection& selection, Window window) {
  std::vector<Candidate> candidates;
  for (const auto& [id, object] : history.objects) {
    Candidate candidate;
    const std::vector<ConfiguredObject> states = history.configured_objects(id, window);
    for (const ConfiguredObject& state : states) {
      if (selection.matches(state.object)) candidate.matching.push_back({id, state});
    }
    const auto possible = object.possible(window.began, window.ended);
    candidate.is_certain = !states.empty() && candidate.matching.size() == states.size() &&
                           std::ranges::all_of(possible, [](const auto& state) { return state.has_value(); });
    if (!candidate.matching.empty()) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

bool may_have_position(std::size_t position, const Listed& element, const std::vector<Candidate>& candidates,
                       const Selection& selection) {
  std::size_t least = 0;
  std::size_t most = 0;
  for (const Candidate& other : candidates) {
    if (other.matching.front().id == element.id) continue;
    const auto is_before = [&](const Listed& state) { return selection.precedes(state, element); };
    if (std::ranges::any_of(other.matching, is_before)) ++most;
    if (other.is_certain && std::ranges::all_of(other.matching, is_before)) ++least;
  }
  return least <= position && position <= most;
}

}  // namespace

std::optional<std::string> judge_page(const PortalHistory& history, const PageRequest& page, std::string_view body,
                                      Window window) {
  const auto wrong = [&](std::string_view what) { return std::string(what) + "\n  got " + std::string(body); };
  constexpr std::string_view head = "{\"totalCount\":";
  const std::size_t items = body.find(",\"items\":");
  if (!body.starts_with(head) || items == std::string_view::npos || !body.ends_with('}')) return wrong("not a page:");
  const std::size_t total = std::stoul(std::string(body.substr(head.size(), items - head.size())));
  const std::vector<std::string> elements = json_elements(body.substr(items + 9, body.size() - items - 10));

  const std::vector<Candidate> candidates = candidates_of(history, page.selection, window);
  const auto certain = static_cast<std::size_t>(std::ranges::count_if(candidates, &Candidate::is_certain));
  if (total < certain || total > candidates.size()) return wrong("another total:");
  const auto skip = static_cast<std::size_t>(page.skip);
  const std::size_t expected = std::min(total - std::min(skip, total), static_cast<std::size_t>(page.count));
  if (elements.size() != expected) return wrong("another number of elements:");

  std::map<std::string, Listed> known;
  for (const Candidate& candidate : candidates) {
    for (const Listed& state : candidate.matching) known.emplace(mail_object_json(state.id, state.configured), state);
  }
  std::set<int> seen;
  const Listed* last = nullptr;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto found = known.find(elements[i]);
    if (found == known.end()) return wrong("an element that does not match, or was not there: " + elements[i]);
    const Listed& element = found->second;
    if (!seen.insert(element.id).second) return wrong("an element twice: " + elements[i]);
    if (last && page.selection.precedes(element, *last)) return wrong("an element out of order: " + elements[i]);
    if (!may_have_position(skip + i, element, candidates, page.selection))
      return wrong("an element in another position: " + elements[i]);
    last = &element;
  }
  return std::nullopt;
}

}  // namespace portail::simulation
