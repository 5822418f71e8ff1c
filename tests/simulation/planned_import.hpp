// An import that is planned: its document, and each of its writes in the model. One thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/import.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/oracle.hpp"

namespace portail::simulation {

struct PlannedWrite {
  enum class Kind {
    mail_object,
    new_configuration,       // of the mail object before it
    replaced_configuration,  // of a stored mail object; PUTs may replace it too
    third_party,
    bundle,
    grants,
  };
  Kind kind;
  std::string id{};         // of the entity
  std::string type{};       // of a mail object: no two versions have the same
  bool is_new = false;      // there was no such entity before
  bool is_change = true;    // the entity differs from the one before
  bool is_removal = false;  // by pruning
  int deposits = 0;         // counted
  std::function<void(Moment)> end{};
  std::function<void()> undo{};  // also in the state from which the next imports are planned
};

// Returns the JSON objects of the grants, in the order of the store.
std::vector<std::string> grant_texts(Granted granted);

// The grants of a record, as JSON objects.
struct GrantChange {
  std::vector<std::string> removed;
  std::vector<std::string> added;
};

struct PlannedImport {
  std::string document;
  std::map<std::string, std::string, std::less<>> templates;
  ImportOptions options;
  std::vector<PlannedWrite> writes;
  std::size_t kept_bundles = 0;                 // unchanged ones in the document
  std::map<int, Configuration> configurations;  // of the document
  std::optional<GrantChange> grants;
  std::size_t kept_grants = 0;

  [[nodiscard]] bool has(PlannedWrite::Kind kind) const;
  // Whether it writes the index of persons' bundles.
  [[nodiscard]] bool writes_index() const {
    return has(PlannedWrite::Kind::third_party) || has(PlannedWrite::Kind::bundle);
  }
};

// What the audit must have of a complete import.
struct ExpectedReport {
  std::string sections;  // JSON
  int deposits = 0;
  std::optional<GrantChange> grants;  // nullopt: unchanged
};
// `happened` are the writes that took effect before, by an attempt that was cut off.
ExpectedReport expected_report(const PlannedImport& plan, const std::function<bool(const PlannedWrite&)>& happened);

}  // namespace portail::simulation
