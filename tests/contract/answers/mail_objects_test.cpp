// docs/reference/contract.md, "Answers": content type, JSON text, mail objects, their lists and template files.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

Reply read(std::string_view target) { return get(fill(target)).bearer(token(fill("$RUN-client"))).send(); }

std::vector<picojson::value> all_mail_objects() {
  const picojson::value list = parsed(read("/api/app/objet-courrier/list-all"));
  return list.is<picojson::array>() ? list.get<picojson::array>() : picojson::array{};
}

double id_of(const picojson::value& object) { return object.get("id").get<double>(); }
std::string type_of(const picojson::value& object) { return object.get("typeObjet").get<std::string>(); }

TEST(Answers, ContentType) {
  checks("Answers: content type");
  for (const char* target :
       {"/api/app/objet-courrier", "/api/app/objet-courrier/list-all", "/api/app/objet-courrier/$00", "/api/app/liasse",
        "/api/app/liasse/$RUN-vide", "/api/abp/application-configuration", "/api/abp/application-localization",
        "/api/abp/api-definition", "/health/live", "/health/ready", "/health-status", "/api/app/liasse/$RUN-absente"}) {
    SCOPED_TRACE(target);
    EXPECT_EQ(read(target).header("Content-Type"), "application/json; charset=utf-8");
  }
}

TEST(Answers, OnlyRequiredCharactersAreEscaped) {
  checks("Answers: JSON text");
  // Read from a document that spells é, ', / and an emoji as escapes, and U+001F in capitals.
  expect_json(read("/api/app/objet-courrier/$01"),
              fill(R"({"id":$01,"typeObjet":"$RUN-B","description":)"
                   R"("Échappés : \" \\ / \b\f\n\r\t \u0001 \u001f )"
                   "\x7f"
                   R"( <b>&amp;'+ é 😀","utilisablePourLiasse":false,"typeAffectation":"Rien","lienFichier":null})"));
}

TEST(Answers, MailObject) {
  checks("Answers: mail object");
  expect_json(read("/api/app/objet-courrier/$00"),
              fill(R"({"id":$00,"typeObjet":"$RUN-CNI","description":"Carte nationale d'identité",)"
                   R"("utilisablePourLiasse":true,"typeAffectation":"Obligatoire",)"
                   R"("lienFichier":"/api/app/objet-courrier/$00/fichier-modele"})"));
  expect_json(read("/api/app/objet-courrier/$02"),
              fill(R"({"id":$02,"typeObjet":"$RUN-b","description":"Minuscule après majuscule",)"
                   R"("utilisablePourLiasse":true,"typeAffectation":"Optionnel","lienFichier":null})"));
}

TEST(Answers, PutAnswersTheUpdatedMailObject) {
  checks("Answers: mail object, PUT answers the updated one");
  const auto expected = [](std::string_view used, std::string_view assignment) {
    return fill(R"({"id":$20,"typeObjet":"$RUN~20","description":"Objet 20","utilisablePourLiasse":)" +
                std::string(used) + R"(,"typeAffectation":")" + std::string(assignment) + R"(","lienFichier":null})");
  };
  struct Case {
    const char* used;
    const char* assignment;
  };
  for (const Case& each : {Case{"true", "Obligatoire"}, {"false", "Optionnel"}, {"true", "Rien"}, {"false", "Rien"}}) {
    const std::string body =
        R"({"utilisablePourLiasse":)" + std::string(each.used) + R"(,"typeAffectation":")" + each.assignment + "\"}";
    expect_json(put(fill("/api/app/objet-courrier/$20"), body).bearer(token(fill("$RUN-admin"))).send(),
                expected(each.used, each.assignment));
    expect_json(read("/api/app/objet-courrier/$20"), expected(each.used, each.assignment));
  }
}

TEST(Answers, PagedList) {
  checks("Answers: paged list");
  const std::vector<picojson::value> all = all_mail_objects();
  const auto before = std::ranges::count_if(
      all, [](const picojson::value& each) { return id_of(each) < static_cast<double>(mail_object_id(0)); });
  const std::string total = std::to_string(all.size());
  expect_json(read("/api/app/objet-courrier?SkipCount=" + std::to_string(before) + "&MaxResultCount=10"),
              R"({"totalCount":)" + total + fill(R"(,"items":[$O00,$O01,$O02,$O03,$O04,$O05,$O06,$O07,$O08,$O09]})"));
  expect_json(read("/api/app/objet-courrier?SkipCount=" + std::to_string(before + 3) + "&MaxResultCount=2"),
              R"({"totalCount":)" + total + fill(R"(,"items":[$O03,$O04]})"));
  expect_json(read("/api/app/objet-courrier?SkipCount=" + total), R"({"totalCount":)" + total + R"(,"items":[]})");

  // The concatenated pages contain each object once, in ascending order.
  double last = -1;
  std::size_t seen = 0;
  for (std::size_t skip = 0; skip < all.size(); skip += 1000) {
    const picojson::value page =
        parsed(read("/api/app/objet-courrier?MaxResultCount=1000&SkipCount=" + std::to_string(skip)));
    const picojson::value items = at(page, {"items"});
    ASSERT_TRUE(items.is<picojson::array>());
    for (const picojson::value& each : items.get<picojson::array>()) {
      EXPECT_LT(last, id_of(each));
      last = id_of(each);
      ++seen;
    }
  }
  EXPECT_EQ(seen, all.size());
}

TEST(Answers, ListAll) {
  checks("Answers: list-all");
  const Reply reply = read("/api/app/objet-courrier/list-all");
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.body.starts_with('[') && reply.body.ends_with(']'));
  // By the bytes of typeObjet: capitals first, then é of two bytes, ～ of three and an emoji of four.
  const std::string own = fill("$O09,$O01,$O00,$O02,$O07,$O08,$O04,$O03,$O06,$O05");
  EXPECT_NE(reply.body.find(own), std::string::npos) << "own objects, expected in this order:\n" << own;
  const std::vector<picojson::value> all = all_mail_objects();
  const auto key = [](const picojson::value& each) { return std::pair(type_of(each), id_of(each)); };
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, key)) << "std::string compares bytes";
}

TEST(TemplateFile, BytesAndHeaders) {
  checks("Answers: template file");
  const Reply plain = read("/api/app/objet-courrier/$00/fichier-modele");
  EXPECT_EQ(plain.status, 200) << describe(plain);
  EXPECT_EQ(plain.body, cni_template());
  EXPECT_EQ(plain.header("Content-Type"), "application/pdf");
  EXPECT_EQ(plain.header("Content-Disposition"),
            R"(attachment; filename="mod_le cni.pdf"; filename*=UTF-8''mod%C3%A8le%20cni.pdf)");
  EXPECT_EQ(plain.header("Content-Security-Policy"), "sandbox");
  expect_common_headers(plain);
  const Reply odd = read("/api/app/objet-courrier/$08/fichier-modele");
  EXPECT_EQ(odd.header("Content-Disposition"),
            R"(attachment; filename="mod_le _l'_t__ 100_ (_).pdf"; )"
            R"(filename*=UTF-8''mod%C3%A8le%20%22l%27%C3%A9t%C3%A9%22%20100%25%20%28%F0%9F%98%80%29.pdf)");
}

TEST(TemplateFile, LargerThanAStoredValue) {
  checks("Answers: template file");
  PORTAIL_REQUIRE(environment().large_template, "PORTAIL_CONTRACT_LARGE_TEMPLATE=0, and 1");
  const Reply reply = read("/api/app/objet-courrier/$09/fichier-modele");
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.body == large_template()) << reply.body.size() << " bytes";
}

TEST(TemplateFile, NotFound) {
  checks("Answers: template file, 404");
  expect_error(read("/api/app/objet-courrier/$02/fichier-modele"), 404);
  expect_error(read("/api/app/objet-courrier/9007199254740991/fichier-modele"), 404,
               {"There is no entity ObjetCourrier with id = 9007199254740991!"});
}

}  // namespace
}  // namespace portail::contract
