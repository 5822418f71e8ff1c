#include "tests/simulation/planned_import.hpp"

#include <algorithm>

namespace portail::simulation {
namespace {

using Kind = PlannedWrite::Kind;

struct Counts {
  bool is_present = false;
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t unchanged = 0;
  std::size_t removed = 0;

  [[nodiscard]] std::string json() const {
    if (!is_present) return "null";
    return "{\"added\":" + std::to_string(added) + ",\"changed\":" + std::to_string(changed) +
           ",\"unchanged\":" + std::to_string(unchanged) + ",\"removed\":" + std::to_string(removed) + "}";
  }
};

}  // namespace

std::vector<std::string> grant_texts(Granted granted) {
  std::vector<std::string> texts;
  if (granted.dashboard) texts.emplace_back(R"({"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"})");
  if (granted.update) {
    texts.emplace_back(R"({"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"admin"})");
  }
  return texts;
}

bool PlannedImport::has(Kind kind) const {
  return std::ranges::find(writes, kind, &PlannedWrite::kind) != writes.end();
}

ExpectedReport expected_report(const PlannedImport& plan, const std::function<bool(const PlannedWrite&)>& happened) {
  ExpectedReport expected;
  Counts objects;
  Counts third_parties;
  Counts bundles{.is_present = plan.kept_bundles > 0, .unchanged = plan.kept_bundles};
  Counts grants;
  for (const PlannedWrite& write : plan.writes) {
    if (write.kind == Kind::new_configuration || write.kind == Kind::replaced_configuration) continue;
    const bool happens = write.is_change && !happened(write);
    if (write.kind == Kind::grants) {
      grants.is_present = true;
      grants.unchanged = plan.kept_grants + (happens ? 0 : plan.grants->added.size());
      if (!happens) continue;
      expected.grants = plan.grants;
      grants.added = plan.grants->added.size();
      grants.removed = plan.grants->removed.size();
      continue;
    }
    Counts& counts = write.kind == Kind::mail_object ? objects : write.kind == Kind::bundle ? bundles : third_parties;
    counts.is_present = true;
    if (write.is_removal) {
      counts.removed += happens ? 1 : 0;
      continue;
    }
    ++(!happens ? counts.unchanged : write.is_new ? counts.added : counts.changed);
    if (happens) expected.deposits += write.deposits;
  }
  expected.sections = "{\"objetsCourrier\":" + objects.json() + ",\"tiers\":" + third_parties.json() +
                      ",\"liasses\":" + bundles.json() + ",\"droits\":" + grants.json() + "}";
  return expected;
}

}  // namespace portail::simulation
