// An import from a document in memory into a store in memory. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/audit/trail.hpp"
#include "core/crypto/hash.hpp"
#include "core/exchange/export.hpp"
#include "core/exchange/import.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/edition.hpp"
#include "core/storage/forwarding_store.hpp"
#include "core/storage/key.hpp"
#include "core/storage/memory_store.hpp"
#include "tests/support/sample_bundle.hpp"
#include "tests/support/test_context.hpp"

namespace portail {

using Files = std::map<std::string, std::string, std::less<>>;

struct TestInput : ImportInput {
  explicit TestInput(std::string document, Files template_files = {})
      : text(std::move(document)), templates(std::move(template_files)) {}

  Task<void> rewind(Context&) override {
    ++readings;
    if (readings == 2) before_second_reading();
    position = 0;
    co_return;
  }
  Task<std::optional<std::string_view>> next(Context&) override {
    if (position == text.size()) co_return std::nullopt;
    chunk = text.substr(position, chunk_size);  // a copy: views into it are invalid after the next call
    position += chunk.size();
    co_return chunk;
  }
  Task<std::expected<std::string, std::string>> read_template(Context&, std::uint64_t, std::string_view path,
                                                              std::size_t) override {
    const auto file = templates.find(path);
    if (file == templates.end()) co_return std::unexpected(std::string("no such file"));
    co_return file->second;
  }

  std::string text;
  Files templates;
  std::size_t chunk_size = 4096;
  std::function<void()> before_second_reading = [] {};
  int readings = 0;
  std::size_t position = 0;
  std::string chunk;
};

using Contents = std::map<std::string, std::string, std::less<>>;

struct Portal {
  CountingContext test;
  MemoryStore memory;

  Result<ImportReport> import(TestInput& input, const ImportOptions& options = {}, KeyValueStore* store = nullptr) {
    IgnoredProgress progress;
    return run_ready(import_document(test.context, store ? *store : memory, input, options, progress));
  }
  // A store in memory never fails.
  ImportReport import(std::string_view document, const ImportOptions& options = {}, Files templates = {}) {
    TestInput input(std::string(document), std::move(templates));
    return import(input, options).value();
  }

  void put(std::string_view key, std::string_view value) {
    const Change change{key, value};
    (void)run_ready(memory.write(test.context, std::span(&change, 1)));
  }

  void remove(std::string_view key) {
    const Change change{key, std::nullopt};
    (void)run_ready(memory.write(test.context, std::span(&change, 1)));
  }

  // Returns all keys and values except the audit and the edition, which differ between runs. Checks that each audited
  // value names a record, and that the record is there.
  Contents contents(std::string_view prefix = "") {
    Contents found;
    const Contents records = everything(audit_prefix);
    for (auto& [key, value] : everything(prefix)) {
      if (key.starts_with(audit_prefix)) continue;
      std::string content = value;
      if (key == configuration_key || key == grants_key) {
        AuditedValue audited = read_audited_value(value).value();
        EXPECT_TRUE(audited.last && records.contains(audit_key(*audited.last))) << key;
        take_edition(audited);
        content = audited.content;
      }
      // A value without other lines counts as absent.
      if (key != configuration_key || !content.empty()) found.emplace(key, content);
    }
    return found;
  }
  Contents everything(std::string_view prefix = "") {
    struct All : Visitor {
      bool visit(std::string_view key, std::string_view value) override {
        found.emplace(key, value);
        return true;
      }
      Contents found;
    } all;
    (void)run_ready(memory.scan(test.context, prefix, all));
    return all.found;
  }
  std::string value(std::string_view key) {
    const Contents all = contents();
    const auto found = all.find(key);
    return found == all.end() ? "(absent)" : found->second;
  }
};

// Collects the audit records.
struct Trail : AuditVisitor {
  bool visit(AuditName, std::string_view record) override {
    records.emplace_back(record);
    return true;
  }
  std::vector<std::string> records;
};
inline std::vector<std::string> audit_of(Portal& portal) {
  Trail trail;
  (void)run_ready(read_audit_trail(portal.test.context, portal.memory, trail));
  return trail.records;
}

// Writes batches change by change, and fails after a number of changes.
class TornStore : public ForwardingStore {
 public:
  TornStore(KeyValueStore& target, int changes) : ForwardingStore(target), changes_left_(changes) {}
  Task<void> write(Context& context, std::span<const Change> changes) override {
    for (const Change& change : changes) {
      if (changes_left_-- <= 0) co_await std::unexpected(Failure::unavailable);
      co_await target().write(context, std::span(&change, 1));
    }
  }

 private:
  int changes_left_;
};

struct TextSink : ExportSink {
  bool write(std::string_view bytes) override {
    text += bytes;
    return true;
  }
  bool write_template(std::string_view path, std::string_view bytes) override {
    files.insert_or_assign(std::string(path), std::string(bytes));
    return true;
  }
  std::string text;
  Files files;
};

// The bundles of small_document.
inline std::string first_bundle(std::string pieces) {
  return sample_bundle(
      {.creation_date = "2024-01-15T10:30:00.250+01:00", .amount = "150000.00", .pieces = std::move(pieces)});
}
inline std::string second_bundle(std::string creation_date = "2024-01-16T00:00:00Z") {
  return sample_bundle({.id = "L-2",
                        .name = "Auto",
                        .creation_date = std::move(creation_date),
                        .third_party = "T2",
                        .loan = "",
                        .amount = "-0.5",
                        .put_in_place = "true"});
}

// One entity of each kind and more; tests change it.
inline const std::string small_document = R"({"objetsCourrier":[
{"id":1,"typeObjet":"CNI","description":"Carte nationale d'identité","utilisablePourLiasse":true,"typeAffectation":"Obligatoire"},
{"id":2,"typeObjet":"RIB","description":"Relevé","utilisablePourLiasse":false,"typeAffectation":"Rien","fichierModele":{"nomFichier":"modèle rib.pdf","chemin":"modeles/rib.pdf","type":"application/pdf"}}],
"tiers":[
{"numeroTiers":"T1","nomTiers":"Durand","prenomTiers":"Chloé","utilisateurs":["sub-c1"],"gestionnaires":["sub-m1"]},
{"numeroTiers":"T2","nomTiers":"Maçon","prenomTiers":"","utilisateurs":["sub-c1","sub-c2"],"gestionnaires":[]}],
"liasses":[
)" + first_bundle(R"(
 {"id":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","objetCourrier":1,"statut":"Déposé","motif":null,"dateDepot":"2024-02-01T09:00:00Z"},
 {"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3302","objetCourrier":2,"statut":"Rejeté","motif":"Illisible"})") +
                                          ",\n" + second_bundle() + R"(],
"droits":[{"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"},
{"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"sub-admin"}]}
)";

// Its bundles as an export writes them.
inline std::string exported_bundles() {
  return first_bundle(
             R"({"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","objetCourrier":1,"statut":"Déposé","motif":null,"dateDepot":"2024-02-01T09:00:00+00:00"},)"
             R"({"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3302","objetCourrier":2,"statut":"Rejeté","motif":"Illisible","dateDepot":null})") +
         ",\n" + second_bundle("2024-01-16T00:00:00+00:00");
}

inline Files small_templates() { return {{"modeles/rib.pdf", "%PDF rib"}}; }

// Replaces `from`, which must occur in the text, by `to`.
inline std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  if (at == std::string::npos) return "with(): no " + std::string(from);
  return result.replace(at, from.size(), to);
}

// Returns the faults of a report, one a line.
inline std::string lines_of(const ImportReport& report) {
  std::string lines;
  for (const std::string& line : report.faults) lines += line + '\n';
  return lines;
}

}  // namespace portail
