#include "tests/simulation/audit_oracle.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/audit/verification.hpp"
#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "tests/simulation/json_elements.hpp"
#include "tests/simulation/step_clock.hpp"
#include "tests/support/test_context.hpp"

namespace portail::simulation {
namespace {

using Failed = std::optional<std::string>;
using Record = std::map<std::string, std::string>;  // the members' JSON

struct Stored final : Visitor {
  std::map<std::string, Record> records;  // by key
  std::map<std::string, std::string> texts;
  std::map<std::string, std::string> ends;  // of the chains: the value's key, and the key of its last record
  bool visit(std::string_view key, std::string_view value) override {
    if (key.starts_with("audit.")) {
      records.emplace(key, json_members(value));
      texts.emplace(key, value);
    } else if (key == "configuration" || key == "droits") {
      constexpr std::string_view prefix = "audit\t";
      const std::string_view line = value.substr(0, value.find('\n'));
      ends.emplace(key, line.starts_with(prefix) ? line.substr(prefix.size()) : "(no record)");
    }
    return true;
  }
};

std::string unquoted(const std::string& json) {
  return json.size() >= 2 && json.starts_with('"') ? json.substr(1, json.size() - 2) : "";
}

std::string member(const Record& record, const std::string& name) {
  const auto found = record.find(name);
  return found == record.end() ? "(absent)" : found->second;
}

std::string configuration_json(const Configuration& configuration) {
  return std::string(R"({"utilisablePourLiasse":)") + (configuration.usable ? "true" : "false") +
         R"(,"typeAffectation":")" + configuration.assignment + "\"}";
}

std::string array(const std::vector<std::string>& elements) {
  std::string json = "[";
  for (const std::string& element : elements) json += (json.size() == 1 ? "" : ",") + element;
  return json + "]";
}

// The steps of the simulation are on one day.
bool is_in(Window window, const std::string& time) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int microsecond = 0;
  char end = 0;
  if (std::sscanf(time.c_str(), "\"2026-01-15T%2d:%2d:%2d.%6dZ%c", &hour, &minute, &second, &microsecond, &end) != 5) {
    return false;
  }
  const std::int64_t seconds = ((hour - 12) * 60 + minute) * 60 + second;
  const Moment step = step_of({FixedClock::default_time.microseconds + seconds * 1'000'000 + microsecond});
  return window.began <= step && step <= window.ended;
}

// Follows both chains, and replays the changes.
class Check {
 public:
  Check(const AuditOracle& sent, const Stored& stored) : sent_(sent), stored_(stored) {}

  Failed run_chains() {
    if (auto failed = follow("configuration", &Check::replay_nothing)) return failed;
    return follow("droits", &Check::replay_nothing);
  }

  Failed run(const std::map<int, Configuration>& configurations, const std::vector<std::string>& grants) {
    for (const auto& [key, record] : stored_.records) {
      const std::string id = unquoted(member(record, "correlationId"));
      if (sent_.calls.contains(id)) continue;
      ++all_[id];
      if (!sent_.puts.contains(id) && !sent_.imports.contains(id)) return wrong("of no sent change", key);
    }
    if (auto failed = follow("configuration", &Check::replay_configurations)) return failed;
    if (auto failed = follow("droits", &Check::replay_grants)) return failed;
    if (auto failed = check_completeness()) return failed;
    for (const auto& [object, configuration] : configurations) {
      const std::string present = configuration_json(configuration);
      if (!may_be(object, present)) return "the audit ends with another configuration than " + present;
    }
    if (std::set(grants.begin(), grants.end()) != grants_) return "the audit ends with other grants";
    return std::nullopt;
  }

 private:
  using Replay = Failed (Check::*)(const std::string& key, const Record& record);

  [[nodiscard]] Failed wrong(const std::string& what, const std::string& key) const {
    return "an audit record " + what + ": " + key + " " + stored_.texts.at(key);
  }

  // Visits the records of a chain, the oldest one first.
  Failed follow(const std::string& value, Replay replay) {
    std::vector<std::string> keys;
    const auto end = stored_.ends.find(value);
    for (std::string key = end == stored_.ends.end() ? "" : end->second; !key.empty();) {
      const auto found = stored_.records.find(key);
      if (found == stored_.records.end()) return value + " refers to a record that is not there: " + key;
      if (!keys.empty() && key >= keys.back()) return wrong("that does not precede the next one", key);
      keys.push_back(key);
      key = unquoted(member(found->second, "previous"));
    }
    std::ranges::reverse(keys);
    for (const std::string& key : keys) {
      const Record& record = stored_.records.at(key);
      ++reachable_[unquoted(member(record, "correlationId"))][unquoted(member(record, "action"))];
      if (auto failed = (this->*replay)(key, record)) return failed;
    }
    return std::nullopt;
  }

  Failed replay_nothing(const std::string&, const Record&) { return std::nullopt; }

  Failed replay_configurations(const std::string& key, const Record& record) {
    const std::string id = unquoted(member(record, "correlationId"));
    if (const auto put = sent_.puts.find(id); put != sent_.puts.end()) return replay_put(key, record, put->second);
    const SentImport& import = sent_.imports.at(id);
    if (unquoted(member(record, "action")) == "import") return check_import(key, record, import);
    if (unquoted(member(record, "action")) == "import-outcome") return check_author(key, record, import);
    return replay_replacement(key, record, import);
  }

  Failed replay_put(const std::string& key, const Record& record, const SentPut& put) {
    const std::vector<std::string> changes = json_elements(member(record, "changes"));
    if (changes.size() != 1) return wrong("of a PUT without its change", key);
    const std::string from = member(json_members(changes.front()), "from");
    const std::string to = configuration_json(put.to);
    const std::string expected =
        "{\"time\":" + member(record, "time") +
        R"(,"action":"update","route":"PUT /api/app/objet-courrier/{id}","subject":)" + json_string(put.subject) +
        R"(,"client":null,"systemUser":null,"correlationId":)" + member(record, "correlationId") +
        ",\"previous\":" + member(record, "previous") + ",\"previousHash\":" + member(record, "previousHash") +
        ",\"salt\":" + member(record, "salt") + ",\"changes\":[{\"objetCourrier\":" + std::to_string(put.object) +
        ",\"from\":" + from + ",\"to\":" + to + "}]}";
    if (stored_.texts.at(key) != expected) return wrong("that is not " + expected, key);
    if (!is_in(put.window, member(record, "time"))) return wrong("of another time than its PUT", key);
    if (!may_be(put.object, from)) return wrong("from another configuration than the one before", key);
    state_[put.object] = to;
    return std::nullopt;
  }

  Failed check_author(const std::string& key, const Record& record, const SentImport& import) {
    const bool is_importer = member(record, "route") == "\"portail import\"" && member(record, "subject") == "null" &&
                             member(record, "client") == "null" && member(record, "systemUser") == "\"importer\"";
    if (!is_importer) return wrong("of another author than the import", key);
    if (!is_in(import.window, member(record, "time"))) return wrong("of another time than its import", key);
    return std::nullopt;
  }

  Failed check_import(const std::string& key, const Record& record, const SentImport& import) {
    if (auto failed = check_author(key, record, import)) return failed;
    const std::string hash = "\"" + lower_hex(blake2b(import.document)) + "\"";
    if (member(record, "document") != hash) return wrong("of another document than " + hash, key);
    if (member(record, "options") != import.options) return wrong("of other options than " + import.options, key);
    // Of an attempt that was cut off at its last write, the record may have the outcome.
    const bool is_finished = member(record, "finished") != "null";
    if (import.is_complete && !is_finished) return wrong("without the outcome of its import", key);
    const std::string sections = is_finished ? import.report.sections : "null";
    const std::string deposits = is_finished ? std::to_string(import.report.deposits) : "null";
    if (is_finished && !is_in(import.window, member(record, "finished"))) return wrong("that finished elsewhen", key);
    if (is_finished && !import.report_is_exact) return std::nullopt;
    if (member(record, "sections") != sections) return wrong("with other sections than " + sections, key);
    if (member(record, "deposits") != deposits) return wrong("with other deposits than " + deposits, key);
    return std::nullopt;
  }

  Failed replay_replacement(const std::string& key, const Record& record, const SentImport& import) {
    if (member(record, "action") != "\"replace-configuration\"") return wrong("with another action", key);
    if (auto failed = check_author(key, record, import)) return failed;
    for (const std::string& text : json_elements(member(record, "changes"))) {
      const Record change = json_members(text);
      const int object = std::stoi(member(change, "objetCourrier"));
      const auto configuration = import.configurations.find(object);
      if (configuration == import.configurations.end() ||
          member(change, "to") != configuration_json(configuration->second)) {
        return wrong("to another configuration than the document's", key);
      }
      if (!may_be(object, member(change, "from"))) return wrong("from another configuration", key);
      if (member(change, "from") == member(change, "to")) return wrong("that changes nothing", key);
      state_[object] = member(change, "to");
    }
    return std::nullopt;
  }

  Failed replay_grants(const std::string& key, const Record& record) {
    const auto import = sent_.imports.find(unquoted(member(record, "correlationId")));
    if (member(record, "action") != "\"grants\"" || import == sent_.imports.end()) return wrong("of no import", key);
    if (auto failed = check_author(key, record, import->second)) return failed;
    const auto& expected = import->second.report.grants;
    if (!expected) return wrong("of grants that its import does not change", key);
    if (member(record, "removed") != array(expected->removed) || member(record, "added") != array(expected->added)) {
      return wrong("of other grants than " + array(expected->removed) + " and " + array(expected->added), key);
    }
    for (const std::string& grant : expected->removed) grants_.erase(grant);
    for (const std::string& grant : expected->added) grants_.insert(grant);
    return std::nullopt;
  }

  Failed check_completeness() {
    for (const auto& [id, put] : sent_.puts) {
      const int reachable = reachable_[id]["update"];
      if (reachable > 1) return "a PUT that was audited twice: " + id;
      if (put.is_refused && reachable > 0) return "a refused PUT in the audit: " + id;
      if (!put.is_acknowledged) continue;
      if (reachable != 1) return "an acknowledged PUT that is not in the audit: " + id;
      if (all_[id] != 1) return "an acknowledged PUT with records of lost races: " + id;
    }
    for (const auto& [id, import] : sent_.imports) {
      std::map<std::string, int>& actions = reachable_[id];
      if (actions["import"] > 1 || actions["grants"] > 1) return "an import that was audited twice: " + id;
      if (!import.is_complete) continue;
      if (actions["import"] != 1) return "a complete import that is not in the audit: " + id;
      if (actions["grants"] != (import.report.grants ? 1 : 0)) return "changed grants that are not in the audit: " + id;
      if (actions["import-outcome"] > 1) return "an import with two outcomes: " + id;
      const int reachable =
          actions["import"] + actions["import-outcome"] + actions["grants"] + actions["replace-configuration"];
      if (all_[id] != reachable) return "a complete import with records of lost races: " + id;
    }
    return std::nullopt;
  }

  // Whether the object may have this configuration now. The first one of a mail object is in the document only.
  [[nodiscard]] bool may_be(int object, const std::string& configuration) const {
    if (const auto known = state_.find(object); known != state_.end()) return known->second == configuration;
    return std::ranges::any_of(sent_.imports, [&](const auto& entry) {
      const auto found = entry.second.configurations.find(object);
      return found != entry.second.configurations.end() && configuration_json(found->second) == configuration;
    });
  }

  const AuditOracle& sent_;
  const Stored& stored_;
  std::map<std::string, int> all_;                               // records, by correlation id
  std::map<std::string, std::map<std::string, int>> reachable_;  // by correlation id and action
  std::map<int, std::string> state_;                             // configurations, by mail object
  std::set<std::string> grants_;
};

}  // namespace

std::optional<std::string> AuditOracle::check(KeyValueStore& store, const std::map<int, Configuration>& configurations,
                                              const std::vector<std::string>& grants) const {
  Stored stored;
  TestContext test;
  if (!run_ready(store.scan(test.context, "", stored))) return "the store cannot be read";
  const auto verification = run_ready(verify_audit(test.context, store, {}));
  if (!verification) return "the audit cannot be verified";
  if (verification->fault_count > 0) return verification->faults.front();
  return Check(*this, stored).run(configurations, grants);
}

std::optional<std::string> AuditOracle::check_chains(KeyValueStore& store) const {
  Stored stored;
  TestContext test;
  if (!run_ready(store.scan(test.context, "", stored))) return "the store cannot be read";
  return Check(*this, stored).run_chains();
}

}  // namespace portail::simulation
