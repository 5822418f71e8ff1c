#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

constexpr std::string_view pieces_head =
    R"("piecesAttendues":[{"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","objetCourrier":{"id":1,"typeObjet":"CNI",)"
    R"("description":"Carte nationale d'identité","utilisablePourLiasse":true,"typeAffectation":"Obligatoire",)"
    R"("lienFichier":"/api/app/objet-courrier/1/fichier-modele","nomFichier":"modèle cni.pdf"},"statut":"Validé","motif":null},)"
    R"({"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3302","objetCourrier":{"id":12,"typeObjet":"AVIS",)"
    R"("description":"Avis d'imposition","utilisablePourLiasse":false,"typeAffectation":"Rien","lienFichier":null,)"
    R"("nomFichier":null},"statut":"Attendu","motif":"Illisible \"page 2\""})";
constexpr std::string_view derogated_piece =
    R"(,{"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3303","objetCourrier":{"id":12,"typeObjet":"AVIS",)"
    R"("description":"Avis d'imposition","utilisablePourLiasse":false,"typeAffectation":"Rien","lienFichier":null,)"
    R"("nomFichier":null},"statut":"Dérogée","motif":"Accord du siège"})";
constexpr std::string_view tail =
    R"(],"numeroTiers":"T1","nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-1","montantOpportunite":150000.00,)"
    R"("opportuniteMiseEnPlace":false})";
constexpr std::string_view without_pieces =
    R"({"id":"L-2","nomDossier":"Sans pièce","creationDate":"2024-01-15T09:30:00.5+00:00","statut":"Complet",)"
    R"("completion":100,"deposeeDepuisDerniereConsultation":false,"erreur":null,"piecesAttendues":[],"numeroTiers":"T1",)"
    R"("nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-2","montantOpportunite":0.10,"opportuniteMiseEnPlace":true})";

std::string first_bundle(bool deposited_since, bool with_derogated) {
  std::string text =
      R"({"id":"L-1","nomDossier":"Prêt immobilier","creationDate":"2024-01-15T10:30:00+01:00","statut":"En cours",)"
      R"("completion":33.333333333333336,"deposeeDepuisDerniereConsultation":)";
  text += deposited_since ? "true" : "false";
  text += R"(,"erreur":"AVIS : Illisible \"page 2\"",)";
  text += pieces_head;
  if (with_derogated) text += derogated_piece;
  text += tail;
  return text;
}

using Bundles = PortalTest;

TEST_F(Bundles, OwnListIsNewestFirstAndUnfiltered) {
  const Answer answer = get("/api/app/liasse", client);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "[" + std::string(without_pieces) + "," + first_bundle(true, true) + "]");
  EXPECT_EQ(answer.header("Cache-Control"), "no-store");
  EXPECT_EQ(get("/api/app/liasse", manager).body, "[]");
}

TEST_F(Bundles, DashboardNeedsThePermission) {
  EXPECT_EQ(get("/api/app/liasse/dashboard-list", client).status, 403);
  const Answer answer = get("/api/app/liasse/dashboard-list", manager);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.substr(0, 12), R"([{"id":"L-3")");
  EXPECT_EQ(answer.body.contains(without_pieces), true);
}

TEST_F(Bundles, ByIdLeavesDerogatedPiecesOutWithoutThePermission) {
  EXPECT_EQ(get("/api/app/liasse/L-1", client).body, first_bundle(true, false));
  const std::string sees =
      make_test_token({.subject = "sub-client", .permissions = {"PortailClients.Liasses.VoirPieceDerogee"}});
  EXPECT_EQ(get("/api/app/liasse/L-1", sees).body, first_bundle(false, true));
}

TEST_F(Bundles, ByIdIsForItsPeopleOnly) {
  const Answer missing = get("/api/app/liasse/L-9", client);
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body.contains("There is no entity Liasse with id = L-9!"), true);
  const Answer stranger = get("/api/app/liasse/L-3", client);
  EXPECT_EQ(stranger.status, 403);
  EXPECT_TRUE(stranger.body.contains(R"("data":{},)")) << stranger.body;
  EXPECT_EQ(get("/api/app/liasse/L-3", manager).status, 200);
  const Answer without_permission = get("/api/app/liasse/L-3", make_test_token({.subject = "sub-manager"}));
  EXPECT_EQ(without_permission.status, 403);
  EXPECT_TRUE(without_permission.body.contains(R"("data":{"PolicyName":"PortailClients.Dashboard.Host"},)"))
      << without_permission.body;
  EXPECT_EQ(get("/api/app/liasse/l-1", client).status, 404);
}

TEST_F(Bundles, ConsultationIsRecordedByAnAnsweredGetOnly) {
  EXPECT_EQ(ask(TestRequest("HEAD", "/api/app/liasse/L-1", client).view()).status, 200);
  get("/api/app/liasse", client);
  const Answer first = get("/api/app/liasse/L-1", client);
  EXPECT_EQ(first.body, first_bundle(true, false));
  EXPECT_EQ(get("/api/app/liasse/L-1", client).body, first_bundle(false, false));
  EXPECT_EQ(get("/api/app/liasse", client).body,
            "[" + std::string(without_pieces) + "," + first_bundle(false, true) + "]");
  EXPECT_EQ(get("/api/app/liasse/L-1", manager).body, first_bundle(true, false));

  store.calls = {};
  get("/api/app/liasse/L-1", client);
  EXPECT_EQ(store.calls, (StoreCalls{.sessions = 1, .batches = 2, .keys = 6}));
}

TEST_F(Bundles, ConsultationThatCannotBeWrittenIsLogged) {
  class ReadOnly final : public ForwardingStore {
   public:
    using ForwardingStore::ForwardingStore;
    Task<bool> compare_and_swap(Context&, std::string_view, Value, std::string_view) override {
      co_return std::unexpected(Failure::unavailable);
    }
  } read_only{memory};
  const Service reading{settings(), test_key_set(), read_only};
  const auto answer =
      run_ready(portail::serve(test.context, reading, TestRequest("GET", "/api/app/liasse/L-1", client).view()));
  EXPECT_EQ(answer.value().status, 200);
  EXPECT_EQ(test.log.lines.size(), 1U);
}

TEST_F(Bundles, FilteredListsLeaveDerogatedPiecesOut) {
  Settings filtered = settings();
  filtered.filter_lists = true;
  const Service other{filtered, test_key_set(), store};
  const auto answer =
      run_ready(portail::serve(test.context, other, TestRequest("GET", "/api/app/liasse", client).view()));
  EXPECT_EQ(answer.value().body, "[" + std::string(without_pieces) + "," + first_bundle(true, false) + "]");
}

// A portal with `count` bundles of one user.
std::string many_bundles(int count) {
  std::string document =
      R"({"tiers":[{"numeroTiers":"T3","nomTiers":"N","prenomTiers":"P","utilisateurs":["sub-many"],"gestionnaires":[]}],"liasses":[)";
  for (int i = 0; i < count; ++i) {
    if (i > 0) document += ',';
    document += R"({"id":"M-)" + std::to_string(1000 + i) +
                R"(","nomDossier":"D","creationDate":"2024-01-15T10:30:00+01:00","numeroTiers":"T3","numeroPret":"P",)"
                R"("montantOpportunite":1,"opportuniteMiseEnPlace":false,"piecesAttendues":[]})";
  }
  return document + "]}";
}

TEST_F(Bundles, ListOf300KilobytesIsComplete) {
  load(many_bundles(1000));
  store.calls = {};
  const Answer answer = get("/api/app/liasse", make_test_token({.subject = "sub-many"}));
  EXPECT_FALSE(answer.was_streamed);
  EXPECT_EQ(store.calls.batches, 2);
}

TEST_F(Bundles, LongListIsStreamedInTheSameOrderWithAStrongTag) {
  load(many_bundles(1800));
  const std::string many = make_test_token({.subject = "sub-many"});
  store.calls = {};
  const Answer answer = get("/api/app/liasse", many);
  EXPECT_TRUE(answer.was_streamed);
  EXPECT_EQ(store.calls.batches, 2);
  std::string expected = "[";
  for (int i = 0; i < 1800; ++i) {
    if (i > 0) expected += ',';
    expected +=
        R"({"id":"M-)" + std::to_string(1000 + i) +
        R"(","nomDossier":"D","creationDate":"2024-01-15T10:30:00+01:00","statut":"Complet","completion":100,)"
        R"("deposeeDepuisDerniereConsultation":false,"erreur":null,"piecesAttendues":[],"numeroTiers":"T3",)"
        R"("nomTiers":"N","prenomTiers":"P","numeroPret":"P","montantOpportunite":1,"opportuniteMiseEnPlace":false})";
  }
  expected += ']';
  EXPECT_EQ(answer.body, expected);
  EXPECT_EQ(get("/api/app/liasse", many).header("ETag"), answer.header("ETag"));
  TestRequest again("GET", "/api/app/liasse", many);
  again.header("If-None-Match", answer.header("ETag").value_or(""));
  EXPECT_EQ(ask(again.view()).status, 304);

  load(
      R"({"liasses":[{"id":"M-1000","nomDossier":"Changé","creationDate":"2024-01-15T10:30:00+01:00","numeroTiers":"T3",)"
      R"("numeroPret":"P","montantOpportunite":1,"opportuniteMiseEnPlace":false,"piecesAttendues":[]}]})");
  EXPECT_NE(get("/api/app/liasse", many).header("ETag"), answer.header("ETag"));
}

// The streamed list of 1,800, whose tag changes with every value that it contains.
class LongList : public PortalTest {
 protected:
  LongList() { load(many_bundles(1800)); }

  Answer list(const std::string& token) { return get("/api/app/liasse", token); }
  // Expects another tag than `before` has, and no 304 for the old one.
  void expect_other_tag(const Answer& before) {
    const Answer after = list(many);
    ASSERT_TRUE(after.was_streamed);
    EXPECT_NE(after.body, before.body);
    TestRequest again("GET", "/api/app/liasse", many);
    again.header("If-None-Match", before.header("ETag").value_or(""));
    EXPECT_EQ(ask(again.view()).status, 200);
    EXPECT_NE(after.header("ETag"), before.header("ETag"));
  }
  // Imports M-1000 again, with one piece.
  void load_piece(std::string_view status, std::string_view deposit) {
    std::string document =
        R"({"liasses":[{"id":"M-1000","nomDossier":"D","creationDate":"2024-01-15T10:30:00+01:00","numeroTiers":"T3",)"
        R"("numeroPret":"P","montantOpportunite":1,"opportuniteMiseEnPlace":false,"piecesAttendues":[)"
        R"({"id":"3f2504e0-4f89-41d3-9a0c-0305e82c3301","objetCourrier":1,"statut":")";
    document.append(status).append(R"(","motif":null,"dateDepot":)").append(deposit).append("}]}]}");
    load(document);
  }

  const std::string many = make_test_token({.subject = "sub-many"});
};

TEST_F(LongList, HasAnotherTagWhenAMailObjectChanges) {
  load_piece("Attendu", "null");
  const Answer before = list(many);
  load(R"({"objetsCourrier":[{"id":1,"typeObjet":"CNI","description":"Autre","utilisablePourLiasse":true,)"
       R"("typeAffectation":"Obligatoire"}]})");
  expect_other_tag(before);
}

TEST_F(LongList, HasAnotherTagWhenAConfigurationChanges) {
  load_piece("Attendu", "null");
  const Answer before = list(many);
  TestRequest update("PUT", "/api/app/objet-courrier/1", administrator);
  update.json(R"({"utilisablePourLiasse":false,"typeAffectation":"Obligatoire"})");
  ASSERT_EQ(ask(update.view()).status, 200);
  expect_other_tag(before);
}

TEST_F(LongList, HasAnotherTagWhenTheLastNameChanges) {
  const Answer before = list(many);
  load(
      R"({"tiers":[{"numeroTiers":"T3","nomTiers":"M","prenomTiers":"P","utilisateurs":["sub-many"],"gestionnaires":[]}]})");
  expect_other_tag(before);
}

TEST_F(LongList, HasAnotherTagWhenTheFirstNameChanges) {
  const Answer before = list(many);
  load(
      R"({"tiers":[{"numeroTiers":"T3","nomTiers":"N","prenomTiers":"Q","utilisateurs":["sub-many"],"gestionnaires":[]}]})");
  expect_other_tag(before);
}

TEST_F(LongList, HasAnotherTagWhenABundleWasRead) {
  load_piece("Attendu", R"("2024-02-01T09:00:00+01:00")");
  const Answer before = list(many);
  ASSERT_EQ(get("/api/app/liasse/M-1000", many).status, 200);
  expect_other_tag(before);
}

TEST_F(LongList, HasAnotherTagWhenABundleIsGone) {
  const Answer before = list(many);
  const std::string key = "liasse.=4D-1299";
  const Change removal{key, std::nullopt};
  ASSERT_TRUE(run_ready(memory.write(test.context, {&removal, 1})));
  expect_other_tag(before);
}

// Also between two callers that differ in this permission only.
TEST_F(LongList, HasAnotherTagIfDerogatedPiecesAreVisible) {
  load_piece("Dérogée", "null");
  Settings filtered_settings = settings();
  filtered_settings.filter_lists = true;
  const Service filtered{filtered_settings, test_key_set(), store};
  const auto answer = [&](const std::string& token) {
    return run_ready(portail::serve(test.context, filtered, TestRequest("GET", "/api/app/liasse", token).view()))
        .value();
  };
  const Answer without = answer(many);
  const Answer with =
      answer(make_test_token({.subject = "sub-many", .permissions = {"PortailClients.Liasses.VoirPieceDerogee"}}));
  ASSERT_TRUE(without.was_streamed);
  ASSERT_TRUE(with.was_streamed);
  EXPECT_FALSE(without.body.contains("Dérogée"));
  EXPECT_TRUE(with.body.contains("Dérogée"));
  EXPECT_NE(without.header("ETag"), with.header("ETag"));
}

}  // namespace
}  // namespace portail
