#include "core/exchange/export.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/exchange/export_source.hpp"
#include "tests/support/test_context.hpp"
#include "tests/unit/exchange/importing.hpp"

namespace portail {
namespace {

Result<bool> exported(Portal& portal, KeyValueStore& store, ExportSink& sink) {
  const auto state = run_ready(read_data_state(portal.test.context, store));
  if (!state) return std::unexpected(state.error());
  return run_ready(export_document(portal.test.context, store, *state, sink));
}

TextSink exported(Portal& portal) {
  TextSink sink;
  EXPECT_EQ(exported(portal, portal.memory, sink), true);
  return sink;
}

TEST(Export, GivesTheDocumentBack) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("configuration", "1\tfalse\tOptionnel\n2\tfalse\tRien\n");  // as a PUT does
  const TextSink sink = exported(portal);
  EXPECT_EQ(sink.text, R"({"objetsCourrier":[
{"id":1,"typeObjet":"CNI","description":"Carte nationale d'identité","utilisablePourLiasse":false,"typeAffectation":"Optionnel","fichierModele":null},
{"id":2,"typeObjet":"RIB","description":"Relevé","utilisablePourLiasse":false,"typeAffectation":"Rien","fichierModele":{"nomFichier":"modèle rib.pdf","chemin":"modeles/2-modèle rib.pdf","type":"application/pdf"}}
],
"tiers":[
{"numeroTiers":"T1","nomTiers":"Durand","prenomTiers":"Chloé","utilisateurs":["sub-c1"],"gestionnaires":["sub-m1"]},
{"numeroTiers":"T2","nomTiers":"Maçon","prenomTiers":"","utilisateurs":["sub-c1","sub-c2"],"gestionnaires":[]}
],
"liasses":[
)" + exported_bundles() + R"(
],
"droits":[
{"permission":"PortailClients.Dashboard.Host","role":"gestionnaire"},
{"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"sub-admin"}
]}
)");
  EXPECT_EQ(sink.files, (Files{{"modeles/2-modèle rib.pdf", "%PDF rib"}}));
}

TEST(Export, OfAnEmptyStoreIsADocumentToo) {
  Portal portal;
  EXPECT_EQ(exported(portal).text, "{\"objetsCourrier\":[],\n\"tiers\":[],\n\"liasses\":[],\n\"droits\":[]}\n");
}

TEST(Export, OfAnImportedExportIsTheSame) {
  Portal portal;
  std::string document = with(small_document, "\"L-2\"", "\"" + std::string(255, 'L') + "\"");  // its key is a hash
  document = with(document, "\"Auto\"", R"("\u0041\t\"\\\/\u0001\ud83d\ude00")");
  portal.import(document, {}, {{"modeles/rib.pdf", std::string(600'000, 'x')}});
  const TextSink first = exported(portal);

  Portal copy;
  const ImportReport report = copy.import(first.text, {}, first.files);
  ASSERT_TRUE(report.faults.empty()) << report.faults.front();
  EXPECT_EQ(copy.contents(), portal.contents());
  const TextSink second = exported(copy);
  EXPECT_EQ(second.text, first.text);
  EXPECT_EQ(second.files, first.files);
}

// Every control character of terminals is escaped: the document is equivalent, and so is its import.
TEST(Export, EscapesTerminalControlCharacters) {
  std::string all = R"(\\\"|)";  // what escapes stand beside
  std::string escaped = R"(\\\"|)";
  std::size_t count = 0;
  for (const auto& [first, last] :
       {std::pair{0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}}) {
    for (int code = first; code <= last; ++code, ++count) {
      char digits[8];
      std::snprintf(digits, sizeof digits, "\\u%04x", code);
      escaped += digits;
      if (code >= 0x800) all += static_cast<char>(0xe0 | code >> 12);
      if (code >= 0x80) all += static_cast<char>(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6);
      all += static_cast<char>(code >= 0x80 ? 0x80 | (code & 0x3f) : code);
    }
  }
  EXPECT_EQ(count, 33U + 1U + 2U + 7U + 4U);
  std::string document(small_document);
  for (const std::string_view text : {"Relevé", "Durand", "sub-c1", "Auto", "Déposé", "Illisible", "gestionnaire\"}"}) {
    const std::string_view end = text.ends_with("\"}") ? "\"}" : "";
    document = with(document, text, std::string(text.substr(0, text.size() - end.size())) + escaped + std::string(end));
  }
  Portal portal;
  const ImportReport imported = portal.import(document, {}, small_templates());
  ASSERT_TRUE(imported.faults.empty()) << imported.faults.front();
  const TextSink first = exported(portal);
  EXPECT_EQ(first.text.find("\u009b"), std::string::npos);
  std::size_t occurrences = 0;
  for (std::size_t at = first.text.find(escaped); at != std::string::npos; at = first.text.find(escaped, at + 1))
    ++occurrences;
  EXPECT_EQ(occurrences, 7U);
  EXPECT_TRUE(portal.value("liasse.=4C-2").contains("Auto" + all)) << "stored as it was meant";

  Portal copy;
  EXPECT_EQ(lines_of(copy.import(first.text, {}, first.files)), "");
  EXPECT_EQ(copy.contents(), portal.contents());
  EXPECT_EQ(exported(copy).text, first.text);
}

TEST(Export, FailsIfAValueIsNotUtf8) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("tiers.=541", "\"T1\"\t\"Dur\x9b\"\t\"\"\n");
  ASSERT_TRUE(portal.contents().contains("tiers.=541"));
  TextSink sink;
  EXPECT_EQ(exported(portal, portal.memory, sink).error(), Failure::corrupt);
}

TEST(Export, EndsWhereItsSinkDoes) {
  struct Full : TextSink {
    bool write(std::string_view bytes) override { return calls-- > 0 && TextSink::write(bytes); }
    int calls = 0;
  };
  Portal portal;
  portal.import(small_document, {}, small_templates());
  constexpr int all_calls = 7;  // one for each of the six elements before the grants
  for (int calls = 0; calls < all_calls; ++calls) {
    Full sink;
    sink.calls = calls;
    EXPECT_EQ(exported(portal, portal.memory, sink).error(), Failure::cancelled) << calls;
  }
  Full sink;
  sink.calls = all_calls;
  EXPECT_EQ(exported(portal, portal.memory, sink), true);
}

constexpr const char* other_piece =
    R"({"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3303","objetCourrier":3,"statut":"Déposé","motif":null})";
// Differs from small_document in every section, also in the mail objects that pieces and template files belong to.
const std::string other_document =
    R"({"objetsCourrier":[
{"id":2,"typeObjet":"RIB","description":"Autre relevé","utilisablePourLiasse":false,"typeAffectation":"Rien","fichierModele":{"nomFichier":"rib.pdf","chemin":"modeles/rib.pdf","type":"application/pdf"}},
{"id":3,"typeObjet":"KBIS","description":"Extrait","utilisablePourLiasse":true,"typeAffectation":"Rien"}],
"tiers":[
{"numeroTiers":"T2","nomTiers":"Petit","prenomTiers":"","utilisateurs":["sub-c3"],"gestionnaires":[]},
{"numeroTiers":"T3","nomTiers":"Roux","prenomTiers":"","utilisateurs":[],"gestionnaires":[]}],
"liasses":[
)" + sample_bundle({.id = "L-2", .name = "Moto", .third_party = "T3", .pieces = other_piece}) +
    ",\n" + sample_bundle({.id = "L-3", .name = "Toit", .third_party = "T2", .amount = "2"}) + R"(],
"droits":[{"permission":"PortailClients.Dashboard.Host","role":"directeur"}]}
)";
Files other_templates() { return {{"modeles/rib.pdf", std::string(600'000, 'y')}}; }

// Imports other_document into the store of a portal before its read number `at`, from 1 on. Each opening of a session,
// each get and each visit of a scan is a read. Without `snapshots`, each of them is of the current state.
class ImportingStore final : public ForwardingStore {
 public:
  ImportingStore(Portal& portal, bool snapshots, int at)
      : ForwardingStore(portal.memory), portal_(portal), snapshots_(snapshots), at_(at) {}

  [[nodiscard]] Traits traits() const override {
    Traits traits = ForwardingStore::traits();
    traits.snapshots = snapshots_;
    return traits;
  }
  Task<std::unique_ptr<Session>> open(Context& context) override {
    before_read();
    return open_session(context);
  }
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override {
    before_read();
    if (snapshots_) return target().scan(context, prefix, visitor);
    return scan_current(context, prefix, visitor);
  }
  [[nodiscard]] bool has_imported() const { return reads_ >= at_; }

 private:
  class ImportingSession final : public ForwardingSession {
   public:
    ImportingSession(ImportingStore& store, std::unique_ptr<Session> target)
        : ForwardingSession(std::move(target)), store_(store) {}
    Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
      store_.before_read();
      if (store_.snapshots_) {
        co_await target().get(context, keys, values);
      } else {
        current_.push_back(co_await store_.target().open(context));
        co_await current_.back()->get(context, keys, values);
      }
    }

   private:
    ImportingStore& store_;
    std::vector<std::unique_ptr<Session>> current_;  // own the values
  };

  void before_read() {
    if (++reads_ != at_) return;
    EXPECT_EQ(lines_of(portal_.import(other_document, {.prune = true}, other_templates())), "");
  }
  Task<std::unique_ptr<Session>> open_session(Context& context) {
    co_return std::make_unique<ImportingSession>(*this, co_await target().open(context));
  }
  Task<void> scan_current(Context& context, std::string_view prefix, Visitor& visitor) {
    for (const auto& [key, value] : portal_.everything(prefix)) {
      before_read();
      const std::string_view name = key;
      Value current;
      const auto session = co_await target().open(context);
      co_await session->get(context, std::span(&name, 1), std::span(&current, 1));
      if (current && !visitor.visit(key, *current)) co_return;
    }
  }

  Portal& portal_;
  const bool snapshots_;
  const int at_;
  int reads_ = 0;
};

struct ExpectedExports {
  ExpectedExports() {
    Portal portal;
    portal.import(small_document, {}, small_templates());
    before = exported(portal);
    portal.import(other_document, {.prune = true}, other_templates());
    after = exported(portal);
  }
  TextSink before;
  TextSink after;
};

bool is_complete(std::string_view document) { return document.ends_with("]}\n"); }

TEST(Export, BesideAnImportIsOfOneStateOrDiscarded) {
  const ExpectedExports expected;
  ASSERT_NE(expected.before.text, expected.after.text);
  for (const bool snapshots : {false, true}) {
    int at = 1;
    int discarded = 0;
    for (;; ++at) {
      Portal portal;
      portal.import(small_document, {}, small_templates());
      ImportingStore store(portal, snapshots, at);
      TextSink sink;
      const Result<bool> is_of_one_state = exported(portal, store, sink);
      if (!store.has_imported()) break;
      ASSERT_TRUE(is_of_one_state) << at;
      if (*is_of_one_state) {
        const TextSink& same = sink.text == expected.before.text ? expected.before : expected.after;
        EXPECT_EQ(sink.text, same.text) << at;
        EXPECT_EQ(sink.files, same.files) << at;
      } else {
        ++discarded;
        EXPECT_FALSE(is_complete(sink.text)) << at;
      }
    }
    EXPECT_GT(at, 10);
    EXPECT_GT(discarded, 5);
  }
}

// Pulls the whole document; nullopt if it was not begun, or was cut off.
std::optional<std::string> pulled(Portal& portal, ExportSource& source) {
  if (!run_ready(source.begin(portal.test.context)).value()) return std::nullopt;
  std::string text;
  for (;;) {
    const auto chunk = run_ready(source.next(portal.test.context));
    if (!chunk) {
      EXPECT_EQ(chunk.error(), Failure::unavailable);
      EXPECT_FALSE(is_complete(text));
      return std::nullopt;
    }
    if (!*chunk) return text;
    text += **chunk;
  }
}

TEST(Export, ThatIsPulledBesideAnImportIsOfOneState) {
  const ExpectedExports expected;
  for (const bool snapshots : {false, true}) {
    for (const std::size_t buffer_size : {std::size_t{0}, ExportSource::default_buffer_size}) {
      int at = 1;
      int of_before = 0;
      int of_after = 0;
      for (;; ++at) {
        Portal portal;
        portal.import(small_document, {}, small_templates());
        ImportingStore store(portal, snapshots, at);
        ExportSource source(store, run_ready(read_data_state(portal.test.context, store)).value(), buffer_size);
        const auto text = pulled(portal, source);
        if (!store.has_imported()) break;
        if (!text) continue;
        EXPECT_TRUE(*text == expected.before.text || *text == expected.after.text) << *text;
        ++(*text == expected.before.text ? of_before : of_after);
      }
      EXPECT_GT(at, 12);
      EXPECT_GT(of_after, 0);                    // the import came before the first read
      EXPECT_GT(of_before, snapshots ? 3 : -1);  // it came while the session was read
    }
  }
}

TEST(Export, NamesAValueThatWasLost) {
  for (const std::string_view key :
       {"catalogue.0", "configuration", "modele.2.0", "tiers.=541", "liasse.=4C-1", "droits"}) {
    Portal portal;
    portal.import(small_document, {}, small_templates());
    portal.remove(key);
    const auto state = run_ready(read_data_state(portal.test.context, portal.memory)).value();
    const std::vector<std::string> expected{"a stored value is missing: " + std::string(key) +
                                            "; import the document again, or restore a backup"};
    CollectingLog log;
    Context context{portal.test.clock, portal.test.random, log, portal.test.frames};
    TextSink sink;
    EXPECT_EQ(run_ready(export_document(context, portal.memory, state, sink)).error(), Failure::corrupt) << key;
    EXPECT_EQ(log.lines, expected);
    EXPECT_FALSE(is_complete(sink.text));
    if (key == "modele.2.0") continue;  // no part of what is pulled
    CollectingLog pulled_log;
    Context pulled{portal.test.clock, portal.test.random, pulled_log, portal.test.frames};
    ExportSource source(portal.memory, state);
    const auto begun = run_ready(source.begin(pulled));
    const auto chunk = begun ? run_ready(source.next(pulled)) : std::unexpected(begun.error());
    EXPECT_EQ(chunk.error(), Failure::corrupt) << key;
    EXPECT_EQ(pulled_log.lines, expected);
  }
}

TEST(Export, ReportsCorruptValues) {
  Portal portal;
  portal.import(small_document, {}, small_templates());
  portal.put("liasse.=4C-2", "rubbish");
  TextSink sink;
  EXPECT_EQ(exported(portal, portal.memory, sink).error(), Failure::corrupt);
}

}  // namespace
}  // namespace portail
