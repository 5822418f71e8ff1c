#include "tests/simulation/traffic.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "tests/simulation/json_elements.hpp"

namespace portail::simulation {
namespace {

using Verdict = std::optional<std::string>;
using Kind = PlannedRequest::Kind;

constexpr const char* configuration_target = "/api/abp/application-configuration";

bool lacks_dashboard(Granted granted) { return !granted.dashboard; }
bool lacks_update(Granted granted) { return !granted.update; }

bool has_text(const std::vector<Choice>& choices, const std::optional<std::string>& text) {
  return std::ranges::find(choices, text, &Choice::text) != choices.end();
}

std::string listing(const std::vector<Choice>& choices) {
  std::string all;
  for (const Choice& choice : choices) all += "\n  or " + choice.text.value_or("(nothing)");
  return all;
}

Verdict wrong(std::string_view what, const std::string& got, const std::vector<Choice>& choices = {}) {
  return std::string(what) + "\n  got " + got + listing(choices);
}

// Whether each element of a JSON array is a choice, in order, and no mandatory choice is missing.
template <class Key>
Verdict judge_list(std::string_view json, const std::map<Key, std::vector<Choice>>& possible) {
  std::map<std::string, std::pair<Key, std::pair<int, std::string>>> recorded;
  std::set<Key> missing;
  for (const auto& [key, choices] : possible) {
    for (const Choice& choice : choices) {
      if (choice.text) recorded[*choice.text] = {key, choice.order};
    }
    if (!has_text(choices, std::nullopt)) missing.insert(key);
  }
  std::set<Key> seen;
  std::optional<std::pair<int, std::string>> last;
  for (const std::string& element : json_elements(json)) {
    const auto found = recorded.find(element);
    if (found == recorded.end()) {
      std::vector<Choice> all;
      for (const auto& [key, choices] : possible) all.insert(all.end(), choices.begin(), choices.end());
      return wrong("an element that is not, or no longer, there:", element, all);
    }
    const auto& [key, order] = found->second;
    if (!seen.insert(key).second) return wrong("an element twice:", element);
    if (last && order < *last) return wrong("an element out of order:", element);
    last = order;
    missing.erase(key);
  }
  if (!missing.empty()) return wrong("elements are missing:", std::string(json), possible.at(*missing.begin()));
  return std::nullopt;
}

}  // namespace

template <class Map>
auto Traffic::some_id(const Map& map) {
  return std::next(map.begin(), static_cast<std::ptrdiff_t>(random_.below(map.size())))->first;
}

void Traffic::set_selection(PlannedRequest& planned, Selection selection) {
  planned.page.selection = std::move(selection);
  planned.target = "/api/app/objet-courrier?SkipCount=" + std::to_string(planned.page.skip) +
                   "&maxResultCount=" + std::to_string(planned.page.count) + planned.page.selection.query;
}

PlannedRequest Traffic::of(Kind kind, const Caller& caller) {
  PlannedRequest planned;
  planned.kind = kind;
  planned.caller = &caller;
  planned.token = lasting_token(caller);
  planned.id = random_.one_in(12) ? 999 : some_id(history_.objects);
  const std::string object = "/api/app/objet-courrier/" + std::to_string(planned.id);
  switch (kind) {
    case Kind::page:
      planned.page = {.skip = static_cast<int>(random_.one_in(2) ? 0 : random_.below(14)),
                      .count = 1 + static_cast<int>(random_.below(12)),
                      .selection = {}};
      set_selection(planned, {});
      break;
    case Kind::list_all:
      planned.target = "/api/app/objet-courrier/list-all";
      break;
    case Kind::object:
      planned.target = object;
      break;
    case Kind::file:
      planned.target = object + "/fichier-modele";
      break;
    case Kind::update:
      planned.method = "PUT";
      planned.target = object;
      planned.configuration = Configuration{random_.one_in(2), random_.pick(assignments)};
      planned.body = std::string(R"({"utilisablePourLiasse":)") + (planned.configuration->usable ? "true" : "false") +
                     R"(,"typeAffectation":")" + planned.configuration->assignment + "\"}";
      break;
    case Kind::own_list:
      planned.target = "/api/app/liasse";
      break;
    case Kind::managed_list:
      planned.target = "/api/app/liasse/dashboard-list";
      break;
    case Kind::bundle:
      planned.bundle = random_.one_in(12) ? "L-none" : some_id(history_.bundles);
      planned.target = "/api/app/liasse/" + planned.bundle;
      if (random_.one_in(3)) planned.method = "HEAD";
      break;
    case Kind::other: {
      static const std::vector<std::string> targets{configuration_target,
                                                    "/api/abp/application-localization",
                                                    "/api/abp/api-definition",
                                                    "/health/ready",
                                                    "/health/live",
                                                    "/health-status",
                                                    "/swagger/v1/swagger.json",
                                                    "/swagger/index.html"};
      planned.target = random_.pick(targets);
      break;
    }
  }
  return planned;
}

PlannedRequest Traffic::next(bool with_updates, Moment now) {
  static const std::vector<Kind> kinds{Kind::page,     Kind::page,     Kind::list_all,     Kind::object,
                                       Kind::file,     Kind::update,   Kind::update,       Kind::update,
                                       Kind::own_list, Kind::own_list, Kind::managed_list, Kind::bundle,
                                       Kind::bundle,   Kind::bundle,   Kind::bundle,       Kind::other};
  Kind kind = random_.pick(kinds);
  if (kind == Kind::update && !with_updates) kind = Kind::object;
  const Caller& caller = kind == Kind::update && !random_.one_in(6) ? callers_[4] : random_.pick(callers_);
  PlannedRequest planned = of(kind, caller);
  planned.token = wallet_.token_of(caller, now);
  if (kind == Kind::update) {
    if (!caller.may_update) {
      planned.expected_status = 403;
    } else if (planned.id == 999) {
      planned.expected_status = 404;
    } else if (random_.one_in(8)) {
      planned.expected_status = 400;
      planned.body = R"({"utilisablePourLiasse":true,"typeAffectation":"Obligatoire","typeAffectation":"Rien"})";
    } else if (random_.one_in(10)) {
      planned.expected_status = 400;
      planned.body_plan.is_cut = true;
    }
    if (random_.one_in(2)) planned.body_plan.part_size = 1 + random_.below(40);
    planned.body_plan.delay = static_cast<int>(random_.one_in(6) ? random_.below(30) : random_.below(4));
  }
  if (kind == Kind::page) set_selection(planned, random_selection(random_));
  if (planned.page.selection.is_invalid) planned.expected_status = 400;
  if (kind == Kind::managed_list && !caller.has_dashboard) planned.expected_status = 403;
  if (kind == Kind::object && random_.one_in(8)) {
    planned.kind = Kind::other;
    planned.method = "DELETE";
    planned.expected_status = 500;
  }
  const auto& tags = bodies_[name_of(planned)];
  if (!tags.empty() && random_.one_in(2))
    (kind == Kind::update ? planned.if_match : planned.if_none_match) = some_id(tags);
  return planned;
}

void Traffic::begin(PlannedRequest& planned, Moment now) {
  if (planned.may_change()) planned.write = history_.configurations.at(planned.id).begin(planned.configuration, now);
  if (planned.counts_as_consultation()) {
    planned.reading = history_.consulted[{planned.caller->subject, planned.bundle}].begin(now);
  }
}

Verdict Traffic::record_tag(const PlannedRequest& planned, const Answer& answer) {
  if (!planned.target.starts_with("/api/")) return std::nullopt;
  const auto tag = answer.header("ETag");
  if (!tag) return "no ETag";
  const auto [recorded, is_new] = bodies_[name_of(planned)].emplace(*tag, answer.body);
  if (!is_new && recorded->second != answer.body)
    return wrong("one tag for two answers:", answer.body, {{recorded->second, {}}});
  return std::nullopt;
}

bool Traffic::may_be_accepted(const PlannedRequest& planned, Window window) const {
  return planned.token.may_be_valid(window) && any_of(history_.key_counts, window, std::identity());
}

bool Traffic::may_be_refused(const PlannedRequest& planned, Window window, Events events) const {
  return planned.token.may_be_invalid(window) || events.had_failed_refresh ||
         any_of(history_.key_counts, window, std::logical_not());
}

Verdict Traffic::judge(const PlannedRequest& planned, const Answer& answer, Window window, Events events) {
  const bool had_fault = events.had_fault;
  if (had_fault && (answer.status == 503 || (answer.status == 500 && planned.expected_status != 500)))
    return std::nullopt;
  if (planned.needs_token() && (answer.status == 401 || !may_be_accepted(planned, window))) {
    return judge_refused_token(planned, answer, window, events);
  }
  if (planned.kind == Kind::update) return judge_update(planned, answer, window, events);
  if (planned.kind != Kind::managed_list && planned.expected_status != 200) {
    if (answer.status != planned.expected_status) return "status " + std::to_string(answer.status);
    return std::nullopt;
  }
  if (planned.expected_status == 403) {
    return answer.status == 403 ? Verdict() : "status " + std::to_string(answer.status) + " in place of 403";
  }
  if (planned.kind == Kind::managed_list) {
    if (answer.status == 403 && any_of(history_.grants, window, lacks_dashboard)) return std::nullopt;
    if (!any_of(history_.grants, window, &Granted::dashboard)) return "the dashboard without the grant";
  }
  std::string body = answer.body;
  if (answer.status == 200) {
    if (auto verdict = record_tag(planned, answer)) return verdict;
  } else if (answer.status == 304) {
    const auto tag = answer.header("ETag");
    if (planned.if_none_match.empty() || tag != planned.if_none_match) return "304 for another tag";
    body = bodies_[name_of(planned)].at(planned.if_none_match);
  }
  if (planned.kind == Kind::bundle) return judge_bundle(planned, answer, body, window, had_fault);
  if (answer.status == 404) {
    const bool may_be =
        (planned.kind == Kind::object && has_text(history_.mail_object(planned.id, window), std::nullopt)) ||
        (planned.kind == Kind::file && has_text(history_.template_file(planned.id, window), std::nullopt));
    return may_be ? Verdict() : "404 for what was there all the time";
  }
  if (answer.status != 200 && answer.status != 304) return "status " + std::to_string(answer.status) + " " + body;
  return judge_success(planned, answer, body, window, events);
}

Verdict Traffic::judge_refused_token(const PlannedRequest& planned, const Answer& answer, Window window,
                                     Events events) {
  if (answer.status != 401) return "status " + std::to_string(answer.status) + " for a token that cannot be accepted";
  if (!may_be_refused(planned, window, events)) return "401 though the token and its key were valid all the time";
  if (planned.may_change()) history_.configurations.at(planned.id).undo(planned.write);
  if (planned.counts_as_consultation()) {
    history_.consulted.at({planned.caller->subject, planned.bundle}).undo(planned.reading);
  }
  return std::nullopt;
}

Verdict Traffic::judge_success(const PlannedRequest& planned, const Answer& answer, const std::string& body,
                               Window window, Events events) {
  switch (planned.kind) {
    case Kind::object: {
      const auto choices = history_.mail_object(planned.id, window);
      return has_text(choices, body) ? Verdict() : wrong("another mail object:", body, choices);
    }
    case Kind::file: {
      const auto choices = history_.template_file(planned.id, window);
      return has_text(choices, body) ? Verdict() : wrong("another file:", body, choices);
    }
    case Kind::page:
      return judge_page(history_, planned.page, body, window);
    case Kind::list_all: {
      std::map<int, std::vector<Choice>> possible;
      for (const auto& [id, history] : history_.objects) {
        possible[id] = history_.mail_object(id, window);
        for (Choice& choice : possible[id]) {
          // Ordered by type, then id; ids as texts of equal length.
          choice.order = {0, choice.order.second + '\0' + static_cast<char>(id)};
        }
      }
      return judge_list(body, possible);
    }
    case Kind::own_list:
    case Kind::managed_list: {
      using List = PortalHistory::List;
      std::map<std::string, std::vector<Choice>> possible;
      for (const auto& [id, history] : history_.bundles) {
        possible[id] = history_.bundle_in_list(id, planned.kind == Kind::own_list ? List::own : List::managed,
                                               *planned.caller, window);
      }
      return judge_list(body, possible);
    }
    default: {
      if (answer.status != 200) return std::nullopt;
      std::string name = name_of(planned);
      if (planned.target == configuration_target) {
        // The answer depends on the caller and their grants only.
        const auto granted = history_.grants.possible(window.began, window.ended);
        const bool is_accepted = may_be_accepted(planned, window);
        if (granted.size() > 1 || (is_accepted && may_be_refused(planned, window, events))) return std::nullopt;
        name += granted[0].dashboard ? " dashboard" : "";
        name += granted[0].update ? " update" : "";
        if (!is_accepted) name = "anonymous";
      }
      const auto [recorded, is_new] = fixed_bodies_.emplace(name, body);
      return is_new || recorded->second == body ? Verdict()
                                                : wrong("another answer than before:", body, {{recorded->second, {}}});
    }
  }
}

Verdict Traffic::judge_update(const PlannedRequest& planned, const Answer& answer, Window window, Events events) {
  if (planned.caller->may_update) {
    if (answer.status == 403 && any_of(history_.grants, window, lacks_update)) {
      if (planned.may_change()) history_.configurations.at(planned.id).undo(planned.write);
      return std::nullopt;
    }
    if (!any_of(history_.grants, window, &Granted::update)) return "a change without the grant";
  }
  // Values are read when the head has arrived, and again after the body only for a 412 and after a lost race. The body
  // of a 200 may so have a description that an import replaced meanwhile; the swap keeps its configuration current.
  if (answer.status == 412) window.began = events.body_arrived.value_or(window.began);
  if (!planned.may_change()) {
    const bool may_be_absent = has_text(history_.mail_object(planned.id, window), std::nullopt);
    if (answer.status == planned.expected_status) return std::nullopt;
    if (answer.status == 404 && planned.caller->may_update && may_be_absent) return std::nullopt;
    return "status " + std::to_string(answer.status) + " in place of " + std::to_string(planned.expected_status);
  }
  auto& configurations = history_.configurations.at(planned.id);
  if (answer.status == 404 && has_text(history_.mail_object(planned.id, window), std::nullopt)) {
    configurations.undo(planned.write);
    return std::nullopt;
  }
  const auto& tags = bodies_[name_of(planned)];
  if (answer.status == 412) {
    if (planned.if_match.empty()) return "412 without a condition";
    configurations.undo(planned.write);
    const auto choices = history_.mail_object(planned.id, window);
    if (choices.size() == 1 && choices[0].text == tags.at(planned.if_match)) return "412 though the tag was right";
    return std::nullopt;
  }
  if (answer.status != 200) return "status " + std::to_string(answer.status) + " " + answer.body;
  if (auto verdict = record_tag(planned, answer)) return verdict;
  const auto choices = history_.mail_object(planned.id, window);
  if (!planned.if_match.empty() && !has_text(choices, tags.at(planned.if_match))) {
    return wrong("a change under a tag that was not right:", tags.at(planned.if_match), choices);
  }
  configurations.end(planned.write, window.ended);
  const std::string configured = std::string(R"("utilisablePourLiasse":)") +
                                 (planned.configuration->usable ? "true" : "false") + R"(,"typeAffectation":")" +
                                 planned.configuration->assignment + "\"";
  if (!has_text(choices, answer.body) || answer.body.find(configured) == std::string::npos) {
    return wrong("not what was put:", answer.body, choices);
  }
  return std::nullopt;
}

Verdict Traffic::judge_bundle(const PlannedRequest& planned, const Answer& answer, const std::string& body,
                              Window window, bool had_fault) {
  const auto by_id = history_.bundle_by_id(planned.bundle, *planned.caller, window);
  const bool consulted = answer.status == 200 && planned.counts_as_consultation();
  if (planned.counts_as_consultation()) {
    auto& readings = history_.consulted.at({planned.caller->subject, planned.bundle});
    if (consulted) {
      readings.end(planned.reading, window.ended, by_id.min_deposits, by_id.max_deposits,
                   consultations_are_sure_ && !had_fault);
    } else {
      readings.undo(planned.reading);
    }
  }
  if (!by_id.statuses.contains(answer.status == 304 ? 200 : answer.status)) {
    return "status " + std::to_string(answer.status) + " " + body;
  }
  if (answer.status != 200 && answer.status != 304) return std::nullopt;
  return has_text(by_id.choices, body) ? Verdict() : wrong("another bundle:", body, by_id.choices);
}

bool Traffic::settle_configurations(const std::string& list_all, Moment now) {
  std::set<std::string> elements;
  for (std::string& element : json_elements(list_all)) elements.insert(std::move(element));
  for (auto& [id, configurations] : history_.configurations) {
    const auto object = history_.objects.at(id).possible(now, now).front();
    bool settled = !object;
    if (!object) configurations.settle(std::nullopt);
    for (const auto& configuration : configurations.possible(now, now)) {
      if (!object || !configuration || !elements.contains(mail_object_json(id, {*object, *configuration}))) continue;
      configurations.settle(configuration);
      settled = true;
      break;
    }
    if (!settled) return false;
  }
  return true;
}

}  // namespace portail::simulation
