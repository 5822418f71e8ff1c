// A store that is filled from another one, value by value, while a process serves it and caches its values by their
// edition: by a migration, and by an export that is loaded into Redis. Both are interrupted at each change, and
// repeated. Then the process must answer as the other store.
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "core/api/answer_cache.hpp"
#include "core/exchange/data_state.hpp"
#include "core/exchange/import.hpp"
#include "core/storage/edition.hpp"
#include "core/storage/memory_store.hpp"
#include "native/backup/store_copy.hpp"
#include "native/export/export_values.hpp"
#include "tests/simulation/small_portal.hpp"
#include "tests/support/sample_bundle.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {
namespace {

// Applies changes one by one, and fails instead of the change after `remaining` ones.
class WatchedStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  Task<void> write(Context& context, std::span<const Change> changes) override {
    for (const Change& change : changes) {
      if (remaining == 0) co_await std::unexpected(Failure::unavailable);
      --remaining;
      co_await target().write(context, std::span(&change, 1));
      after_change();
    }
  }

  int remaining = std::numeric_limits<int>::max();
  std::function<void()> after_change = [] {};
};

// The routes whose answers are independent of consultations.
std::vector<RouteRequest> routes() {
  return {{"page", "GET", "/api/app/objet-courrier", "client"},
          {"list-all", "GET", "/api/app/objet-courrier/list-all", "client"},
          {"template file", "GET", "/api/app/objet-courrier/2/fichier-modele", "client"},
          {"own bundles", "GET", "/api/app/liasse", "client"},
          {"managed bundles", "GET", "/api/app/liasse/dashboard-list", "manager"}};
}

class CachingProcess {
 public:
  explicit CachingProcess(KeyValueStore& store)
      : editions_(store), service_(small_portal_settings(), test_key_set(), editions_) {}

  std::vector<std::string> answers() {
    std::vector<std::string> all;
    for (const RouteRequest& route : routes()) {
      TestContext test;
      test.context.answer_cache = &cache_;
      TestRequest request(route.method, route.target, token_for(route.subject));
      const Request view = request.view();
      const auto answer = run_ready(serve(test.context, service_, view));
      all.push_back(route.name + (answer ? ' ' + std::to_string(answer->status) + ' ' + answer->body : " broke off"));
    }
    return all;
  }

 private:
  EditionStore editions_;
  Service service_;
  BoundedAnswerCache cache_;
};

// Changes an entity of each kind, and takes the manager's grant.
void import_changes(KeyValueStore& store) {
  TestContext test(2);
  test.clock.advance_seconds(1);
  const auto report = import_text(test.context, store,
                                  R"({
      "objetsCourrier":[{"id":1,"typeObjet":"CNI","description":"autre","utilisablePourLiasse":true,"typeAffectation":"Rien"},
        {"id":2,"typeObjet":"RIB","description":"deux","utilisablePourLiasse":true,"typeAffectation":"Rien",
         "fichierModele":{"nomFichier":"rib.pdf","chemin":"rib.pdf","type":"application/pdf"}}],
      "tiers":[{"numeroTiers":"T1","nomTiers":"Petit","prenomTiers":"Anne","utilisateurs":["client"],"gestionnaires":["manager"]}],
      "liasses":[)" + sample_bundle({.id = "L-2", .name = "Autre"}) +
                                      R"(],
      "droits":[{"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"admin"}]})",
                                  {{"rib.pdf", "%PDF-1.5"}});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->fault_count, 0U) << report->faults.front();
}

using Load = std::function<void(KeyValueStore& from, KeyValueStore& to)>;

void migrate(KeyValueStore& from, KeyValueStore& to) {
  TestContext test;
  ProgressBar bar(false);
  static_cast<void>(copy_values(test.context, from, to, bar, 0));  // its failure is injected
}

// Runs the commands of the export until one fails.
void load_export(KeyValueStore& from, KeyValueStore& to) {
  struct Text final : ExportSink {
    std::string text;
    bool write(std::string_view part) override {
      text += part;
      return true;
    }
    bool write_template(std::string_view, std::string_view) override { return false; }
  } commands;
  TestContext test;
  const auto state = run_ready(read_data_state(test.context, from));
  ASSERT_TRUE(state);
  ASSERT_EQ(run_ready(export_values(test.context, from, *state, ValueFormat::redis, "", commands)), true);
  std::string_view rest = commands.text;
  const auto next_line = [&rest] {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(line.size() + 2);
    return line;
  };
  const auto next_string = [&] {
    const std::size_t size = std::stoul(std::string(next_line().substr(1)));
    const std::string_view text = rest.substr(0, size);
    rest.remove_prefix(size + 2);
    return text;
  };
  while (!rest.empty()) {
    ASSERT_EQ(next_line(), "*3");
    ASSERT_EQ(next_string(), "SET");
    const std::string_view key = next_string();
    const Change change{key, next_string()};
    if (!run_ready(to.write(test.context, std::span(&change, 1)))) return;
  }
}

// The first load must leave the answers of the first state, each further one those of the second.
void interrupt_each_change(const Load& load) {
  MemoryStore first;
  import_small_portal(first, 2);
  MemoryStore second;
  import_small_portal(second, 2);
  import_changes(second);
  const std::vector<std::string> old_answers = CachingProcess(first).answers();
  const std::vector<std::string> new_answers = CachingProcess(second).answers();
  ASSERT_EQ(old_answers.size(), new_answers.size());
  for (std::size_t i = 0; i < old_answers.size(); ++i) ASSERT_NE(old_answers[i], new_answers[i]);

  int interruptions = 0;
  for (int change = 0;; ++change) {
    MemoryStore memory;
    WatchedStore store(memory);
    load(first, store);
    CachingProcess process(memory);
    ASSERT_EQ(process.answers(), old_answers);
    store.remaining = change;
    store.after_change = [&process] { process.answers(); };  // caches what it reads
    load(second, store);
    const bool was_interrupted = store.remaining == 0;
    process.answers();
    store.remaining = std::numeric_limits<int>::max();
    load(second, store);
    ASSERT_EQ(process.answers(), new_answers) << "interrupted before change " << change;
    if (!was_interrupted) break;
    ++interruptions;
  }
  EXPECT_GT(interruptions, 8);
}

TEST(LoadedStore, OfAMigrationIsServedAsItsSource) { interrupt_each_change(migrate); }
TEST(LoadedStore, OfAnExportIsServedAsItsSource) { interrupt_each_change(load_export); }

}  // namespace
}  // namespace portail::simulation
