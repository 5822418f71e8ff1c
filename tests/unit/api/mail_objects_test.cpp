#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

constexpr std::string_view cni =
    R"({"id":1,"typeObjet":"CNI","description":"Carte nationale d'identité","utilisablePourLiasse":true,)"
    R"("typeAffectation":"Obligatoire","lienFichier":"/api/app/objet-courrier/1/fichier-modele"})";
constexpr std::string_view avis =
    R"({"id":12,"typeObjet":"AVIS","description":"Avis d'imposition","utilisablePourLiasse":false,)"
    R"("typeAffectation":"Rien","lienFichier":null})";

using MailObjects = PortalTest;

TEST_F(MailObjects, PageIsOrderedByIdAndCountsAll) {
  const Answer answer = get("/api/app/objet-courrier", client);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"totalCount":2,"items":[)" + std::string(cni) + "," + std::string(avis) + "]}");
  EXPECT_EQ(answer.header("Content-Type"), "application/json; charset=utf-8");
  EXPECT_EQ(answer.header("Cache-Control"), "private, no-cache");
}

TEST_F(MailObjects, PageSkipsAndStops) {
  EXPECT_EQ(get("/api/app/objet-courrier?skipcount=1&MAXRESULTCOUNT=1", client).body,
            R"({"totalCount":2,"items":[)" + std::string(avis) + "]}");
  EXPECT_EQ(get("/api/app/objet-courrier?MaxResultCount=1", client).body,
            R"({"totalCount":2,"items":[)" + std::string(cni) + "]}");
  EXPECT_EQ(get("/api/app/objet-courrier?SkipCount=2", client).body, R"({"totalCount":2,"items":[]})");
  EXPECT_EQ(get("/api/app/objet-courrier?SkipCount=2147483647&MaxResultCount=1000", client).body,
            R"({"totalCount":2,"items":[]})");
}

TEST_F(MailObjects, PageBoundsAreChecked) {
  const Answer answer = get("/api/app/objet-courrier?SkipCount=-1&MaxResultCount=1001", client);
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(
      answer.body,
      R"({"error":{"code":null,"message":"Your request is not valid!","details":"The following errors were detected )"
      R"(during validation.\n - The field SkipCount must be an integer between 0 and 2147483647.\n - The field )"
      R"(MaxResultCount must be an integer between 1 and 1000.\n","data":{},"validationErrors":[{"message":"The field )"
      R"(SkipCount must be an integer between 0 and 2147483647.","members":["skipCount"]},{"message":"The field )"
      R"(MaxResultCount must be an integer between 1 and 1000.","members":["maxResultCount"]}]}})");
  for (const std::string_view query :
       {"MaxResultCount=0", "MaxResultCount=x", "MaxResultCount=", "SkipCount=2147483648"}) {
    EXPECT_EQ(get(std::string("/api/app/objet-courrier?").append(query), client).status, 400) << query;
  }
}

TEST_F(MailObjects, ListAllIsOrderedByTypeAsBytes) {
  EXPECT_EQ(get("/api/app/objet-courrier/list-all", client).body,
            "[" + std::string(avis) + "," + std::string(cni) + "]");
}

TEST_F(MailObjects, ByIdOnlyForCanonicalIds) {
  EXPECT_EQ(get("/api/app/objet-courrier/1", client).body, cni);
  EXPECT_EQ(get("/API/App/Objet-Courrier/12/", client).body, avis);
  const Answer missing = get("/api/app/objet-courrier/42", client);
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.body, R"({"error":{"code":null,"message":"There is no entity ObjetCourrier with id = 42!",)"
                          R"("details":null,"data":{},"validationErrors":null}})");
  for (const std::string_view id : {"007", "+1", "-1", "1.0", "9007199254740992", "x"}) {
    const Answer answer = get(std::string("/api/app/objet-courrier/").append(id), client);
    EXPECT_EQ(answer.status, 404) << id;
    EXPECT_EQ(answer.body.contains("There is no such endpoint!"), true) << id;
  }
}

TEST_F(MailObjects, TemplateFileComesWithItsNameAndType) {
  const Answer answer = get("/api/app/objet-courrier/1/fichier-modele", client);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "%PDF-1.4 modele");
  EXPECT_EQ(answer.header("Content-Type"), "application/pdf");
  EXPECT_EQ(answer.header("Content-Disposition"),
            R"(attachment; filename="mod_le cni.pdf"; filename*=UTF-8''mod%C3%A8le%20cni.pdf)");
  EXPECT_EQ(answer.header("Content-Security-Policy"), "sandbox");
  EXPECT_EQ(get("/api/app/objet-courrier/12/fichier-modele", client).status, 404);
  EXPECT_EQ(get("/api/app/objet-courrier/42/fichier-modele", client).status, 404);

  TestRequest again("GET", "/api/app/objet-courrier/1/fichier-modele", client);
  again.header("If-None-Match", answer.header("ETag").value_or(""));
  EXPECT_EQ(ask(again.view()).status, 304);
}

TEST_F(MailObjects, TagsAnswerNotModified) {
  const Answer first = get("/api/app/objet-courrier", client);
  TestRequest again("GET", "/api/app/objet-courrier", client);
  again.header("If-None-Match", first.header("ETag").value_or(""));
  const Answer answer = ask(again.view());
  EXPECT_EQ(answer.status, 304);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.header("ETag"), first.header("ETag"));
}

TEST_F(MailObjects, CannotBeCreatedOrDeleted) {
  const Answer answer = ask(TestRequest("POST", "/api/app/objet-courrier", client).view());
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body,
            R"({"error":{"code":"PortailClients:ObjetsCourrierNonModifiables","message":)"
            R"("Mail objects can be neither created nor deleted!","details":null,"data":{},"validationErrors":null}})");
  EXPECT_EQ(ask(TestRequest("DELETE", "/api/app/objet-courrier/1", client).view()).status, 500);
}

class MailObjectUpdate : public PortalTest {
 protected:
  Answer put(std::string_view target, std::string_view token, std::string_view body) {
    TestRequest request("PUT", target, token);
    request.json(body);
    return ask(request.view());
  }
  static constexpr std::string_view avis_object = "/api/app/objet-courrier/12";
  static constexpr std::string_view good = R"({"utilisablePourLiasse":true,"typeAffectation":"Optionnel"})";
};

TEST_F(MailObjectUpdate, ChangesTheTwoFieldsAndNothingElse) {
  const Answer answer = put(avis_object, administrator, good);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, R"({"id":12,"typeObjet":"AVIS","description":"Avis d'imposition","utilisablePourLiasse":true,)"
                         R"("typeAffectation":"Optionnel","lienFichier":null})");
  const Answer read = get(avis_object, client);
  EXPECT_EQ(read.body, answer.body);
  EXPECT_EQ(read.header("ETag"), answer.header("ETag"));
  EXPECT_EQ(get("/api/app/objet-courrier/1", client).body, cni);
}

TEST_F(MailObjectUpdate, TakesNamesInAnyCaseAndIgnoresOthers) {
  EXPECT_EQ(put(avis_object, administrator, R"({"UTILISABLEPOURLIASSE":true,"TypeAffectation":"Rien","id":99})").status,
            200);
}

TEST_F(MailObjectUpdate, RefusesBadBodies) {
  const Answer missing = put(avis_object, administrator, R"({"utilisablePourLiasse":1})");
  EXPECT_EQ(missing.status, 400);
  EXPECT_EQ(
      missing.body.substr(missing.body.find("validationErrors")),
      R"(validationErrors":[{"message":"The field utilisablePourLiasse must be true or false.","members":)"
      R"(["utilisablePourLiasse"]},{"message":"The field typeAffectation is required.","members":["typeAffectation"]}]}})");
  for (const std::string_view body :
       {"", "{", "[]", "null", R"({"utilisablePourLiasse":true,"typeAffectation":"rien"})",
        R"({"utilisablePourLiasse":true,"typeAffectation":null})",
        R"({"utilisablePourLiasse":true,"UtilisablePourLiasse":true,"typeAffectation":"Rien"})",
        "\xEF\xBB\xBF{\"utilisablePourLiasse\":true,\"typeAffectation\":\"Rien\"}",
        R"({"utilisablePourLiasse":true,"typeAffectation":"Rien","x":"\ud800"})"}) {
    EXPECT_EQ(put(avis_object, administrator, body).status, 400) << body;
  }
  EXPECT_EQ(get(avis_object, client).body, avis);
}

TEST_F(MailObjectUpdate, ChecksComeInTheContractsOrder) {
  EXPECT_EQ(put("/api/app/objet-courrier/42", client, "{").status, 403);
  EXPECT_EQ(put("/api/app/objet-courrier/42", administrator, "{").status, 404);
  TestRequest no_type("PUT", avis_object, administrator);
  no_type.body(std::string(70'000, ' '));
  EXPECT_EQ(ask(no_type.view()).status, 415);
  EXPECT_EQ(put(avis_object, administrator, std::string(64 * 1024 + 1, ' ')).status, 413);
  TestRequest both("PUT", avis_object, administrator);
  both.header("If-Match", "\"other\"").json("{");
  EXPECT_EQ(ask(both.view()).status, 400);
  TestRequest stale("PUT", avis_object, administrator);
  stale.header("If-Match", "\"other\"").json(good);
  EXPECT_EQ(ask(stale.view()).status, 412);
  EXPECT_EQ(get(avis_object, client).body, avis);
}

TEST_F(MailObjectUpdate, IfMatchWithTheCurrentTagWrites) {
  const std::string tag(get(avis_object, client).header("ETag").value_or(""));
  TestRequest first("PUT", avis_object, administrator);
  first.header("If-Match", tag).json(good);
  EXPECT_EQ(ask(first.view()).status, 200);
  TestRequest second("PUT", avis_object, administrator);
  second.header("If-Match", tag).json(good);
  EXPECT_EQ(ask(second.view()).status, 412);
}

}  // namespace
}  // namespace portail
