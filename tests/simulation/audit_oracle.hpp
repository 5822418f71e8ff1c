// The oracle of the audit: every record belongs to a PUT, an import or a call that was sent, with the content of its
// change, and every acknowledged change has its records. It reads the stored bytes, without the code of core/. One
// thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/storage/key_value_store.hpp"
#include "tests/simulation/history.hpp"
#include "tests/simulation/planned_import.hpp"
#include "tests/simulation/portal_history.hpp"

namespace portail::simulation {

struct SentPut {
  std::string subject;
  int object = 0;
  Configuration to;
  Window window{.began = 0, .ended = never};
  bool is_acknowledged = false;
  bool is_refused = false;
};

// One attempt of an import.
struct SentImport {
  std::string document;
  std::string options;  // JSON
  std::map<int, Configuration> configurations;
  bool replaces_configurations = false;
  ExpectedReport report;
  bool report_is_exact = true;
  Window window{.began = 0, .ended = never};
  bool is_complete = false;
};

class AuditOracle {
 public:
  // By correlation id.
  std::map<std::string, SentPut> puts;
  std::map<std::string, SentImport> imports;
  std::set<std::string> calls;  // of the management interface

  // Returns what is wrong with the audit of a store that never suspends, if anything. `configurations` and `grants`
  // (the JSON of each) are the present ones.
  [[nodiscard]] std::optional<std::string> check(KeyValueStore& store,
                                                 const std::map<int, Configuration>& configurations,
                                                 const std::vector<std::string>& grants) const;
  // Returns what is wrong with the chains of records: at no time is a record missing.
  [[nodiscard]] std::optional<std::string> check_chains(KeyValueStore& store) const;
};

}  // namespace portail::simulation
