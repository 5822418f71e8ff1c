// Random imports. Each is a document with a few changes to the portal after the previous one, and updates the model.
// One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/simulation/planned_import.hpp"
#include "tests/simulation/portal_history.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail::simulation {

struct PortalSize {
  std::size_t bundles = 16;           // initially
  std::size_t description_bytes = 0;  // of each mail object, besides a few words
};

class RandomImports {
 public:
  // Every third party is managed by `auditor`; users are chosen from `people`.
  RandomImports(PortalHistory& history, SeededRandom& random, PortalSize size, std::vector<std::string> people,
                std::string auditor);

  // Returns the initial portal: grants, 12 mail objects, 6 third parties, the bundles.
  PlannedImport first();
  // `must_index`: the import must write the index of persons' bundles.
  PlannedImport next(Moment now, bool must_index);

  // The portal after all planned imports, without the writes that were undone.
  std::map<int, MailObject> objects;
  std::map<std::string, ThirdParty> third_parties;
  std::map<std::string, Bundle> bundles;
  Granted grants;

 private:
  std::string text();
  MailObject random_object();
  ThirdParty random_third_party();
  Piece random_piece();
  Bundle random_bundle();
  void vary(Bundle& bundle);

  void put_object(PlannedImport& plan, int id, const MailObject& object, Moment now);
  void put_third_party(PlannedImport& plan, const std::string& id, const ThirdParty& third_party, Moment now);
  void put_bundle(PlannedImport& plan, const std::string& id, const Bundle& bundle, Moment now);
  void prune_a_bundle(PlannedImport& plan, Moment now);
  void put_grants(PlannedImport& plan, Granted after, Moment now);
  void finish_document(PlannedImport& plan);

  PortalHistory& history_;
  SeededRandom& random_;
  PortalSize size_;
  std::vector<std::string> people_;
  std::string auditor_;
  int next_bundle_ = 1;
  int next_piece_ = 1;
  int next_type_ = 1;
  // The sections of the plan under construction.
  std::vector<std::string> object_texts_;
  std::vector<std::string> third_party_texts_;
  std::vector<std::string> bundle_texts_;
};

}  // namespace portail::simulation
