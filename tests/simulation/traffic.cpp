#include "tests/simulation/traffic.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "tests/simulation/json_elements.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {
namespace {

using Verdict = std::optional<std::string>;
using Kind = Asked::Kind;

constexpr const char* configuration_target = "/api/abp/application-configuration";

bool lacks_dashboard(Granted granted) { return !granted.dashboard; }
bool lacks_update(Granted granted) { return !granted.update; }

Caller make_caller(const std::string& subject, std::vector<std::string> roles, std::vector<std::string> permissions) {
  Caller caller;
  caller.subject = subject;
  caller.sees_derogated = !permissions.empty();
  caller.has_dashboard = std::ranges::find(roles, "gestionnaire") != roles.end();
  caller.may_update = subject == "admin";
  caller.token =
      make_quick_test_token({.subject = subject, .roles = std::move(roles), .permissions = std::move(permissions)});
  return caller;
}

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

// Whether the elements of a JSON array are a choice each, in order, and nothing that must be there is missing.
template <class Key>
Verdict judge_list(std::string_view json, const std::map<Key, std::vector<Choice>>& possible) {
  std::map<std::string, std::pair<Key, std::pair<int, std::string>>> known;
  std::set<Key> missing;
  for (const auto& [key, choices] : possible) {
    for (const Choice& choice : choices) {
      if (choice.text) known[*choice.text] = {key, choice.order};
    }
    if (!has_text(choices, std::nullopt)) missing.insert(key);
  }
  std::set<Key> seen;
  std::optional<std::pair<int, std::string>> last;
  for (const std::string& element : json_elements(json)) {
    const auto found = known.find(element);
    if (found == known.end()) {
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

std::vector<std::string> ordinary_people() { return {"Client.1", "client-\u00e9", "manager-1", "manager-2", "admin"}; }

std::vector<Caller> make_callers() {
  const std::string derogated = "PortailClients.Liasses.VoirPieceDerogee";
  return {make_caller("Client.1", {}, {}),
          make_caller("client-\u00e9", {}, {derogated}),
          make_caller("manager-1", {"gestionnaire"}, {}),
          make_caller("manager-2", {"gestionnaire"}, {derogated}),
          make_caller("admin", {}, {derogated}),
          make_caller(auditor, {"gestionnaire"}, {derogated})};
}

template <class Map>
auto Traffic::some_id(const Map& map) {
  return std::next(map.begin(), static_cast<std::ptrdiff_t>(random_.below(map.size())))->first;
}

Asked Traffic::of(Kind kind, const Caller& caller) {
  Asked asked;
  asked.kind = kind;
  asked.caller = &caller;
  asked.id = random_.one_in(12) ? 999 : some_id(history_.objects);
  const std::string object = "/api/app/objet-courrier/" + std::to_string(asked.id);
  switch (kind) {
    case Kind::page:
      asked.skip = static_cast<int>(random_.below(14));
      asked.count = 1 + static_cast<int>(random_.below(12));
      asked.target = "/api/app/objet-courrier?SkipCount=" + std::to_string(asked.skip) +
                     "&maxResultCount=" + std::to_string(asked.count);
      break;
    case Kind::list_all:
      asked.target = "/api/app/objet-courrier/list-all";
      break;
    case Kind::object:
      asked.target = object;
      break;
    case Kind::file:
      asked.target = object + "/fichier-modele";
      break;
    case Kind::update:
      asked.method = "PUT";
      asked.target = object;
      asked.configuration = Configuration{random_.one_in(2), random_.pick(assignments)};
      asked.body = std::string(R"({"utilisablePourLiasse":)") + (asked.configuration->usable ? "true" : "false") +
                   R"(,"typeAffectation":")" + asked.configuration->assignment + "\"}";
      break;
    case Kind::own_list:
      asked.target = "/api/app/liasse";
      break;
    case Kind::managed_list:
      asked.target = "/api/app/liasse/dashboard-list";
      break;
    case Kind::bundle:
      asked.bundle = random_.one_in(12) ? "L-none" : some_id(history_.bundles);
      asked.target = "/api/app/liasse/" + asked.bundle;
      if (random_.one_in(3)) asked.method = "HEAD";
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
      asked.target = random_.pick(targets);
      break;
    }
  }
  return asked;
}

Asked Traffic::next(bool with_updates) {
  static const std::vector<Kind> kinds{Kind::page,   Kind::list_all, Kind::object,   Kind::file,     Kind::update,
                                       Kind::update, Kind::update,   Kind::own_list, Kind::own_list, Kind::managed_list,
                                       Kind::bundle, Kind::bundle,   Kind::bundle,   Kind::bundle,   Kind::other};
  Kind kind = random_.pick(kinds);
  if (kind == Kind::update && !with_updates) kind = Kind::object;
  const Caller& caller = kind == Kind::update && !random_.one_in(6) ? callers_[4] : random_.pick(callers_);
  Asked asked = of(kind, caller);
  if (kind == Kind::update) {
    if (!caller.may_update) {
      asked.expected_status = 403;
    } else if (asked.id == 999) {
      asked.expected_status = 404;
    } else if (random_.one_in(8)) {
      asked.expected_status = 400;
      asked.body = R"({"utilisablePourLiasse":true,"typeAffectation":"Obligatoire","typeAffectation":"Rien"})";
    }
  }
  if (kind == Kind::managed_list && !caller.has_dashboard) asked.expected_status = 403;
  if (kind == Kind::object && random_.one_in(8)) {
    asked.kind = Kind::other;
    asked.method = "DELETE";
    asked.expected_status = 500;
  }
  const auto& tags = bodies_[name_of(asked)];
  if (!tags.empty() && random_.one_in(2)) (kind == Kind::update ? asked.if_match : asked.if_none_match) = some_id(tags);
  return asked;
}

void Traffic::begin(Asked& asked, Moment now) {
  if (asked.may_change()) asked.write = history_.configurations.at(asked.id).begin(asked.configuration, now);
  if (asked.counts_as_consultation()) {
    asked.reading = history_.consulted[{asked.caller->subject, asked.bundle}].begin(now);
  }
}

Verdict Traffic::remember_tag(const Asked& asked, const Answer& answer) {
  if (!asked.target.starts_with("/api/")) return std::nullopt;
  const auto tag = answer.header("ETag");
  if (!tag) return "no ETag";
  const auto [known, is_new] = bodies_[name_of(asked)].emplace(*tag, answer.body);
  if (!is_new && known->second != answer.body)
    return wrong("one tag for two answers:", answer.body, {{known->second, {}}});
  return std::nullopt;
}

Verdict Traffic::judge(const Asked& asked, const Answer& answer, Window window, bool struck) {
  if (struck && (answer.status == 503 || (answer.status == 500 && asked.expected_status != 500))) return std::nullopt;
  if (asked.needs_token() && (answer.status == 401 || !any_of(history_.key_counts, window, std::identity()))) {
    return judge_refused_token(asked, answer, window);
  }
  if (asked.kind == Kind::update) return judge_update(asked, answer, window);
  if (asked.kind == Kind::other && asked.expected_status != 200) {
    if (answer.status != asked.expected_status) return "status " + std::to_string(answer.status);
    return std::nullopt;
  }
  if (asked.expected_status == 403) {
    return answer.status == 403 ? Verdict() : "status " + std::to_string(answer.status) + " in place of 403";
  }
  if (asked.kind == Kind::managed_list) {
    if (answer.status == 403 && any_of(history_.grants, window, lacks_dashboard)) return std::nullopt;
    if (!any_of(history_.grants, window, &Granted::dashboard)) return "the dashboard without the grant";
  }
  std::string body = answer.body;
  if (answer.status == 200) {
    if (auto verdict = remember_tag(asked, answer)) return verdict;
  } else if (answer.status == 304) {
    const auto tag = answer.header("ETag");
    if (asked.if_none_match.empty() || tag != asked.if_none_match) return "304 for another tag";
    body = bodies_[name_of(asked)].at(asked.if_none_match);
  }
  if (asked.kind == Kind::bundle) return judge_bundle(asked, answer, body, window, struck);
  if (answer.status == 404) {
    const bool may_be =
        (asked.kind == Kind::object && has_text(history_.mail_object(asked.id, window), std::nullopt)) ||
        (asked.kind == Kind::file && has_text(history_.template_file(asked.id, window), std::nullopt));
    return may_be ? Verdict() : "404 for what was there all the time";
  }
  if (answer.status != 200 && answer.status != 304) return "status " + std::to_string(answer.status) + " " + body;
  return judge_success(asked, answer, body, window);
}

Verdict Traffic::judge_refused_token(const Asked& asked, const Answer& answer, Window window) {
  if (answer.status != 401) return "status " + std::to_string(answer.status) + " for a token whose key is gone";
  if (!any_of(history_.key_counts, window, std::logical_not())) return "401 though the key was there all the time";
  if (asked.may_change()) history_.configurations.at(asked.id).undo(asked.write);
  if (asked.counts_as_consultation()) {
    history_.consulted.at({asked.caller->subject, asked.bundle}).undo(asked.reading);
  }
  return std::nullopt;
}

Verdict Traffic::judge_success(const Asked& asked, const Answer& answer, const std::string& body, Window window) {
  switch (asked.kind) {
    case Kind::object: {
      const auto choices = history_.mail_object(asked.id, window);
      return has_text(choices, body) ? Verdict() : wrong("another mail object:", body, choices);
    }
    case Kind::file: {
      const auto choices = history_.template_file(asked.id, window);
      return has_text(choices, body) ? Verdict() : wrong("another file:", body, choices);
    }
    case Kind::page:
      return judge_page(asked, body, window);
    case Kind::list_all: {
      std::map<int, std::vector<Choice>> possible;
      for (const auto& [id, history] : history_.objects) {
        possible[id] = history_.mail_object(id, window);
        for (Choice& choice : possible[id]) {
          // By type, then id: the id as text of one length.
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
        possible[id] = history_.bundle_in_list(id, asked.kind == Kind::own_list ? List::own : List::managed,
                                               *asked.caller, window);
      }
      return judge_list(body, possible);
    }
    default: {
      if (answer.status != 200) return std::nullopt;
      std::string name = name_of(asked);
      if (asked.target == configuration_target) {
        // It tells who the caller is and what is granted to them: the same for as long as neither changes.
        const auto granted = history_.grants.possible(window.began, window.ended);
        const auto key_counts = history_.key_counts.possible(window.began, window.ended);
        if (granted.size() > 1 || key_counts.size() > 1) return std::nullopt;
        if (key_counts[0]) name += granted[0].dashboard ? " dashboard" : "";
        if (key_counts[0]) name += granted[0].update ? " update" : "";
        if (!key_counts[0]) name = "anonymous";
      }
      const auto [known, is_new] = fixed_bodies_.emplace(name, body);
      return is_new || known->second == body ? Verdict()
                                             : wrong("another answer than before:", body, {{known->second, {}}});
    }
  }
}

Verdict Traffic::judge_page(const Asked& asked, const std::string& body, Window window) {
  std::vector<int> certain;
  std::map<int, std::vector<Choice>> possible;
  for (const auto& [id, history] : history_.objects) {
    possible[id] = history_.mail_object(id, window);
    for (Choice& choice : possible[id]) choice.order.second.clear();
    if (!has_text(possible[id], std::nullopt)) certain.push_back(id);
  }
  const std::string head = "{\"totalCount\":";
  const std::size_t items = body.find(",\"items\":");
  if (!body.starts_with(head) || items == std::string::npos || !body.ends_with('}')) return wrong("not a page:", body);
  const std::string total = body.substr(head.size(), items - head.size());
  const std::string_view array = std::string_view(body).substr(items + 9, body.size() - items - 10);
  if (certain.size() == possible.size()) {
    if (total != std::to_string(certain.size())) return wrong("another total:", body);
    std::map<int, std::vector<Choice>> slice;
    for (std::size_t i = static_cast<std::size_t>(asked.skip);
         i < certain.size() && slice.size() < static_cast<std::size_t>(asked.count); ++i) {
      slice[certain[i]] = possible[certain[i]];
    }
    return judge_list(array, slice);
  }
  // Mail objects are just coming: which of them the page shows is open, but nothing else.
  for (auto& [id, choices] : possible) choices.push_back({});
  return judge_list(array, possible);
}

Verdict Traffic::judge_update(const Asked& asked, const Answer& answer, Window window) {
  if (asked.caller->may_update) {
    if (answer.status == 403 && any_of(history_.grants, window, lacks_update)) {
      if (asked.may_change()) history_.configurations.at(asked.id).undo(asked.write);
      return std::nullopt;
    }
    if (!any_of(history_.grants, window, &Granted::update)) return "a change without the grant";
  }
  if (!asked.may_change()) {
    const bool may_be_absent = has_text(history_.mail_object(asked.id, window), std::nullopt);
    if (answer.status == asked.expected_status) return std::nullopt;
    if (answer.status == 404 && asked.expected_status == 400 && may_be_absent) return std::nullopt;
    return "status " + std::to_string(answer.status) + " in place of " + std::to_string(asked.expected_status);
  }
  auto& configurations = history_.configurations.at(asked.id);
  if (answer.status == 404 && has_text(history_.mail_object(asked.id, window), std::nullopt)) {
    configurations.undo(asked.write);
    return std::nullopt;
  }
  const auto& tags = bodies_[name_of(asked)];
  if (answer.status == 412) {
    if (asked.if_match.empty()) return "412 without a condition";
    configurations.undo(asked.write);
    const auto choices = history_.mail_object(asked.id, window);
    if (choices.size() == 1 && choices[0].text == tags.at(asked.if_match)) return "412 though the tag was right";
    return std::nullopt;
  }
  if (answer.status != 200) return "status " + std::to_string(answer.status) + " " + answer.body;
  if (auto verdict = remember_tag(asked, answer)) return verdict;
  const auto choices = history_.mail_object(asked.id, window);
  if (!asked.if_match.empty() && !has_text(choices, tags.at(asked.if_match))) {
    return wrong("a change under a tag that was not right:", tags.at(asked.if_match), choices);
  }
  configurations.end(asked.write, window.ended);
  const std::string configured = std::string(R"("utilisablePourLiasse":)") +
                                 (asked.configuration->usable ? "true" : "false") + R"(,"typeAffectation":")" +
                                 asked.configuration->assignment + "\"";
  if (!has_text(choices, answer.body) || answer.body.find(configured) == std::string::npos) {
    return wrong("not what was put:", answer.body, choices);
  }
  return std::nullopt;
}

Verdict Traffic::judge_bundle(const Asked& asked, const Answer& answer, const std::string& body, Window window,
                              bool struck) {
  const auto by_id = history_.bundle_by_id(asked.bundle, *asked.caller, window);
  const bool consulted = answer.status == 200 && asked.counts_as_consultation();
  if (asked.counts_as_consultation()) {
    auto& readings = history_.consulted.at({asked.caller->subject, asked.bundle});
    if (consulted) {
      readings.end(asked.reading, window.ended, by_id.fewest_deposits, by_id.most_deposits,
                   consultations_are_sure_ && !struck);
    } else {
      readings.undo(asked.reading);
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
    bool settled = false;
    const auto object = history_.objects.at(id).possible(now, now).front();
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
