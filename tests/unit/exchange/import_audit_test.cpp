// The audit records of imports.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

// Returns the record from its action on, without `previous`, its hash and the salt.
std::string tail(const std::string& record) {
  const std::size_t previous = record.find(",\"previous\":");
  const std::size_t after = record.find(',', record.find(",\"salt\":") + 1);
  return record.substr(record.find("\"action\""), previous - record.find("\"action\"")) + record.substr(after);
}

TEST(ImportAudit, HasOneRecordForEachImportAndOneForItsGrants) {
  Portal portal;
  TestInput input{std::string(small_document), small_templates()};
  ASSERT_TRUE(
      portal.import(input, {.author = {.route = "portail import", .system_user = "root", .correlation_id = "run-1"}}));
  const auto records = audit_of(portal);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_TRUE(records[0].contains(
      "\"action\":\"import\",\"route\":\"portail import\",\"subject\":null,\"client\":null,"
      "\"systemUser\":\"root\",\"correlationId\":\"run-1\",\"previous\":null,\"previousHash\":null,\"salt\":\""))
      << records[0];
  EXPECT_TRUE(records[0].contains(R"("sections":{"objetsCourrier":{"added":2,"changed":0,"unchanged":0,"removed":0},)"
                                  R"("tiers":{"added":2,"changed":0,"unchanged":0,"removed":0},)"
                                  R"("liasses":{"added":2,"changed":0,"unchanged":0,"removed":0},)"
                                  R"("droits":{"added":2,"changed":0,"unchanged":0,"removed":0}},"deposits":1})"))
      << records[0];
  EXPECT_EQ(tail(records[1]),
            R"("action":"grants","route":"portail import","subject":null,"client":null,"systemUser":"root",)"
            R"("correlationId":"run-1","removed":[],"added":[)"
            R"({"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"},)"
            R"({"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"sub-admin"}]})");
}

TEST(ImportAudit, IsWrittenIfAnImportChangesNothing) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.import(small_document, {}, small_templates());
  const auto records = audit_of(portal);
  ASSERT_EQ(records.size(), 3U);  // import, grants, import
  EXPECT_TRUE(records[2].contains(R"("objetsCourrier":{"added":0,"changed":0,"unchanged":2,"removed":0})"));
  portal.import(R"({"tiers":[]})");
  EXPECT_TRUE(audit_of(portal).back().contains(R"("sections":{"objetsCourrier":null,"tiers":{"added":0)"));
}

TEST(ImportAudit, ListsChangedConfigurationsAndGrants) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  std::string document =
      with(small_document, R"(true,"typeAffectation":"Obligatoire")", R"(false,"typeAffectation":"Optionnel")");
  document = with(document, "\"role\":\"gestionnaire\"", "\"role\":\"chef\"");
  portal.import(document, {.replace_configuration = true}, small_templates());
  const auto records = audit_of(portal);
  ASSERT_EQ(records.size(), 5U);
  EXPECT_TRUE(records[2].contains(
      R"("changes":[{"objetCourrier":1,"from":{"utilisablePourLiasse":true,"typeAffectation":"Obligatoire"},)"
      R"("to":{"utilisablePourLiasse":false,"typeAffectation":"Optionnel"}}]})"))
      << records[2];
  EXPECT_TRUE(records[2].contains("\"action\":\"replace-configuration\""));
  EXPECT_TRUE(records[3].contains("\"options\":[\"--replace-configuration\"]"));
  EXPECT_TRUE(records[4].contains(R"("removed":[{"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"}],)"
                                  R"("added":[{"permission":"PortailClients.Dashboard.Host","role":"chef"}]})"))
      << records[4];
}

TEST(ImportAudit, IsNotWrittenByADryRunOrForARefusedDocument) {
  Portal portal;
  portal.import(small_document, {.dry_run = true}, small_templates());
  portal.import("{\"tiers\":[1]}");
  EXPECT_TRUE(portal.everything().empty());
}

TEST(ImportAudit, OfManyGrantsIsInSeveralRecords) {
  std::string document = "{\"droits\":[";
  for (int i = 0; i < 1500; ++i) {
    document += i == 0 ? "" : ",";
    document += R"({"permission":"PortailClients.Dashboard.Host","utilisateur":"subject-)" + std::to_string(i) + "\"}";
  }
  Portal portal;
  EXPECT_EQ(portal.import(document + "]}").of(Section::grants).added, 1500U);
  std::size_t grants = 0;
  std::size_t records = 0;
  for (const std::string& record : audit_of(portal)) {
    EXPECT_LE(record.size(), std::size_t{70} * 1024);
    if (!record.contains("\"action\":\"grants\"")) continue;
    ++records;
    for (std::size_t at = 0; (at = record.find("subject-", at)) != std::string::npos; ++at) ++grants;
  }
  EXPECT_EQ(records, 2U);
  EXPECT_EQ(grants, 1500U);
}

// Returns the key that the record's member `previous` names.
std::string previous_of(const std::string& record) {
  constexpr std::string_view name = "\"previous\":\"";
  const std::size_t begin = record.find(name);
  return begin == std::string::npos
             ? ""
             : record.substr(begin + name.size(), record.find('"', begin + name.size()) - begin - name.size());
}

TEST(ImportAudit, OfManyConfigurationsIsAChainOfRecords) {
  const auto document = [](std::string_view configuration) {
    std::string text = "{\"objetsCourrier\":[";
    for (int i = 1; i <= 1201; ++i) {
      text += i == 1 ? "" : ",";
      text += "{\"id\":" + std::to_string(i) + ",\"typeObjet\":\"T" + std::to_string(i) + R"(","description":"",)";
      text += configuration;
      text += '}';
    }
    return text + "]}";
  };
  Portal portal;
  portal.import(document(R"("utilisablePourLiasse":true,"typeAffectation":"Rien")"));
  portal.import(document(R"("utilisablePourLiasse":false,"typeAffectation":"Rien")"), {.replace_configuration = true});

  // The first import, 500, 500 and 201 changes, and the second import.
  const Contents records = portal.everything(audit_prefix);
  ASSERT_EQ(records.size(), 5U);
  std::vector<std::size_t> changes;
  std::string before;
  for (const auto& [key, record] : records) {
    EXPECT_EQ(previous_of(record), before) << key;
    before = key;
    std::size_t count = 0;
    for (std::size_t at = 0; (at = record.find("\"objetCourrier\":", at)) != std::string::npos; ++at) ++count;
    changes.push_back(count);
  }
  EXPECT_EQ(changes, (std::vector<std::size_t>{0, 500, 500, 201, 0}));
  EXPECT_TRUE(portal.everything().at(std::string(configuration_key)).starts_with("audit\t" + before + "\n"));
  EXPECT_EQ(audit_of(portal).size(), 5U);
}

// Whatever call fails, an import that wrote anything has a record, with its outcome.
TEST(ImportAudit, OfAnInterruptedImportIsMarkedUnfinished) {
  struct Failing : ForwardingStore {
    using ForwardingStore::ForwardingStore;
    Task<void> write(Context& context, std::span<const Change> changes) override {
      if (left-- <= 0) co_await std::unexpected(Failure::unavailable);
      co_await target().write(context, changes);
    }
    int left = 0;
  };
  const std::string changed = with(small_document, "\"nomTiers\":\"Durand\"", "\"nomTiers\":\"Dupont\"");
  bool unfinished = false;
  for (int calls = 0;; ++calls) {
    ASSERT_LT(calls, 20);
    Portal portal;
    portal.import(small_document, {}, small_templates());
    const Contents before = portal.contents();
    Failing store(portal.memory);
    store.left = calls;
    TestInput input{changed, small_templates()};
    const bool done = portal.import(input, {}, &store).has_value();
    const auto records = audit_of(portal);
    if (portal.contents() != before) {
      EXPECT_EQ(records.size(), 3U) << calls;
    }
    if (done) {
      EXPECT_TRUE(records.back().contains("\"finished\":\"1970-"));
      break;
    }
    unfinished = unfinished || (records.size() == 3 && records.back().contains("\"finished\":null"));
  }
  EXPECT_TRUE(unfinished);
}

}  // namespace
}  // namespace portail
