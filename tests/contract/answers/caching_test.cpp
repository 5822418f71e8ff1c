// docs/reference/contract.md, "Answers: caching", "Answers: always".
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

std::string client() { return token(fill("$RUN-client")); }

// Returns one answer of every kind.
std::vector<Reply> answers_of_every_kind() {
  const std::string object = fill("/api/app/objet-courrier/$00");
  return {
      get(object).bearer(client()).send(),
      get(object).bearer(client()).header("If-None-Match", "*").send(),
      get(object + "/fichier-modele").bearer(client()).send(),
      get("/api/app/liasse").bearer(client()).send(),
      get("/api/app/liasse/%zz").send(),
      get("/api/app/liasse").send(),
      get("/api/app/liasse/dashboard-list").bearer(client()).send(),
      get("/nowhere").send(),
      Request("DELETE", "/api/app/liasse").bearer(client()).send(),
      Request("POST", "/api/app/objet-courrier").bearer(client()).body("").send(),
      get("/api/abp/application-configuration").send(),
      get("/api/abp/application-localization").send(),
      get("/api/abp/api-definition").send(),
      get("/health/live").send(),
      get("/health-status").send(),
      get("/swagger/v1/swagger.json").send(),
      get("/swagger/index.html").send(),
  };
}

TEST(Caching, CacheControl) {
  checks("Answers: caching");
  const auto cache_control = [](std::string_view target) {
    return get(fill(target)).bearer(client()).send().header("Cache-Control");
  };
  for (const char* target : {"/api/app/objet-courrier", "/api/app/objet-courrier/list-all",
                             "/api/app/objet-courrier/$00", "/api/app/objet-courrier/$00/fichier-modele"})
    EXPECT_EQ(cache_control(target), "private, no-cache") << target;
  for (const char* target :
       {"/api/app/liasse", "/api/app/liasse/$RUN-complet", "/api/abp/application-configuration", "/nowhere",
        "/api/app/liasse/dashboard-list", "/api/app/liasse/$RUN-absente", "/api/app/liasse/$RUN-hors",
        "/api/app/objet-courrier/9007199254740991", "/api/app/objet-courrier?SkipCount=-1", "/api/app/liasse/%2F"})
    EXPECT_EQ(cache_control(target), "no-store") << target;
  EXPECT_EQ(get(fill("/api/app/objet-courrier/$00")).send().header("Cache-Control"), "no-store");
  EXPECT_EQ(get("/api/app/liasse/dashboard-list")
                .bearer(token(fill("$RUN-manager"), {{"roles", json_string(fill("$RUN-gestionnaire"))}}))
                .send()
                .header("Cache-Control"),
            "no-store");
  EXPECT_EQ(put(fill("/api/app/objet-courrier/$20"), R"({"utilisablePourLiasse":false,"typeAffectation":"Rien"})")
                .bearer(token(fill("$RUN-admin")))
                .send()
                .header("Cache-Control"),
            "private, no-cache");
}

TEST(Caching, Vary) {
  checks("Answers: caching, Vary");
  for (const Reply& reply : answers_of_every_kind()) {
    EXPECT_EQ(reply.header("Vary"), "Authorization, Origin, Accept-Encoding, Accept-Language") << describe(reply);
    EXPECT_EQ(reply.count("Vary"), 1U);
  }
}

TEST(Always, NoSniff) {
  checks("Answers: always, nosniff");
  for (const Reply& reply : answers_of_every_kind())
    EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff") << describe(reply);
}

TEST(Always, CorrelationId) {
  checks("Answers: always, X-Correlation-Id");
  const auto echoed = [](const std::string& id) {
    const Reply reply = get("/health/live").header("X-Correlation-Id", id).send();
    EXPECT_EQ(reply.count("X-Correlation-Id"), 1U);
    return reply.header("X-Correlation-Id");
  };
  for (const std::string& good : {std::string("a"), std::string("Az09._-"), std::string(128, 'x')})
    EXPECT_EQ(echoed(good), good);
  const auto well_made = [](const std::string& id) {
    return !id.empty() && id.size() <= 128 &&
           id.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
               std::string::npos;
  };
  for (const std::string& bad : {std::string(129, 'x'), std::string("a b"), std::string("é"), std::string("a\"b"),
                                 std::string("<script>"), std::string("")}) {
    EXPECT_NE(echoed(bad), bad);
    EXPECT_TRUE(well_made(echoed(bad))) << echoed(bad);
  }
  EXPECT_NE(get("/health/live").send().header("X-Correlation-Id"),
            get("/health/live").send().header("X-Correlation-Id"));
  for (const Reply& reply : answers_of_every_kind())
    EXPECT_TRUE(well_made(reply.header("X-Correlation-Id"))) << describe(reply);
  EXPECT_EQ(get("/api/app/liasse").header("X-Correlation-Id", "erreur-1").send().header("X-Correlation-Id"),
            "erreur-1");
}

}  // namespace
}  // namespace portail::contract
