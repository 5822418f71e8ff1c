// One run of the simulation: two processes of the service over one store that suspends, with random requests, imports,
// outages and key rotations, on one thread in an order determined by the seed. The same seed gives the same run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/storage/key_value_store.hpp"
#include "tests/simulation/export_runner.hpp"
#include "tests/simulation/import_runner.hpp"
#include "tests/simulation/random_import.hpp"

namespace portail::simulation {

struct Setup {
  std::uint64_t seed = 1;
  int requests = 1000;
  KeyValueStore::Traits traits{.snapshots = true, .compare_and_swap = true, .atomic_batches = true};
  PortalSize size = {};
  bool filter_lists = false;
  bool has_revision = true;   // the store has one (Session::revision)
  bool has_editions = false;  // the processes cache values by the edition of the store
  bool has_exports = false;   // the traffic has exports
};

struct Outcome {
  std::optional<std::string> failure;  // the first failure
  std::uint64_t trace = 0;             // a hash of every answer and its time: equal traces mean equal runs
  int answers = 0;
  int failed_answers = 0;  // 500 or 503 after a failed access
  int streamed_answers = 0;
  int refused_answers = 0;  // 401 or 403
  int sorted_pages = 0;
  int filtered_pages = 0;
  int expired_answers = 0;  // 401 to a token before its start or after its expiry
  int suspended_bodies = 0;
  int cut_bodies = 0;
  int cancelled = 0;
  int waits = 0;        // of requests for the check of another one
  int ended_waits = 0;  // before the check ended
  int outages = 0;
  int rotations = 0;
  int refreshes = 0;  // of the keys, which added the callers' key
  int failed_refreshes = 0;
  ImportCounts imports;
  ExportCounts exports;
};
Outcome simulate(const Setup& setup);

}  // namespace portail::simulation
