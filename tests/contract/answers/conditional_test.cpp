// docs/reference/contract.md, "Answers: validators".
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

std::string client() { return token(fill("$RUN-client")); }
std::string admin() { return token(fill("$RUN-admin")); }
std::string manager() { return token(fill("$RUN-manager"), {{"roles", json_string(fill("$RUN-gestionnaire"))}}); }

bool is_strong_tag(const std::string& tag) {
  return tag.size() > 2 && tag.front() == '"' && tag.back() == '"' && tag.find('"', 1) == tag.size() - 1;
}

// Returns the tag with `suffix` before its closing quote.
std::string suffixed(std::string tag, std::string_view suffix) { return tag.insert(tag.size() - 1, suffix); }

// Returns a body that differs from those of the five previous rounds.
std::string update_body(int round) {
  constexpr std::array assignments = {"Rien", "Optionnel", "Obligatoire"};
  return std::string(R"({"utilisablePourLiasse":)") + (round % 2 == 0 ? "true" : "false") + R"(,"typeAffectation":")" +
         assignments.at(static_cast<std::size_t>(round) % 3) + "\"}";
}

// Returns the page with exactly this mail object, also in a store with other data.
std::string page_of(int number) {
  const picojson::value all = parsed(get("/api/app/objet-courrier/list-all").bearer(client()).send());
  EXPECT_TRUE(all.is<picojson::array>());
  if (!all.is<picojson::array>()) return {};
  const auto id = static_cast<double>(mail_object_id(number));
  const auto before = std::ranges::count_if(
      all.get<picojson::array>(), [id](const picojson::value& each) { return at(each, {"id"}).get<double>() < id; });
  const std::string target = "/api/app/objet-courrier?MaxResultCount=1&SkipCount=" + std::to_string(before);
  const Reply page = get(target).bearer(client()).send();
  EXPECT_NE(page.body.find(R"("items":[{"id":)" + std::to_string(mail_object_id(number)) + ","), std::string::npos)
      << describe(page);
  return target;
}

TEST(Conditional, AStrongTagOnEvery200) {
  checks("Answers: validators, ETag on every 200");
  for (const char* target :
       {"/api/app/objet-courrier", "/api/app/objet-courrier/list-all", "/api/app/objet-courrier/$00",
        "/api/app/objet-courrier/$00/fichier-modele", "/api/app/liasse", "/api/app/liasse/$RUN-complet",
        "/api/app/liasse/dashboard-list", "/api/abp/application-configuration", "/api/abp/application-localization",
        "/api/abp/api-definition"}) {
    SCOPED_TRACE(target);
    const Reply reply = get(fill(target)).bearer(manager()).send();
    EXPECT_EQ(reply.status, 200) << describe(reply);
    EXPECT_TRUE(is_strong_tag(reply.header("ETag"))) << describe(reply);
    const Reply again = get(fill(target)).bearer(manager()).send();
    EXPECT_EQ(again.header("ETag"), reply.header("ETag"));
    EXPECT_EQ(head(fill(target)).bearer(manager()).send().header("ETag"), reply.header("ETag"));
    const Reply unchanged = get(fill(target)).bearer(manager()).header("If-None-Match", reply.header("ETag")).send();
    EXPECT_EQ(unchanged.status, 304) << describe(unchanged);
  }
}

TEST(Conditional, IfNoneMatch) {
  checks("Answers: validators, If-None-Match");
  const std::string path = fill("/api/app/objet-courrier/$00");
  const std::string tag = get(path).bearer(client()).send().header("ETag");
  const auto ask = [&](const std::string& value) {
    return get(path).bearer(client()).header("If-None-Match", value).send();
  };
  for (const std::string& value : {tag, "W/" + tag, std::string("*"), "\"a\", " + tag,
                                   "\"a,b\" ,W/\"c\"," + tag + ", \"d\"", "W/\"x\",W/" + tag}) {
    SCOPED_TRACE(value);
    Connection connection(environment().base);
    connection.send(get(path).bearer(client()).header("If-None-Match", value).bytes(environment().base));
    const Reply reply = connection.receive();
    EXPECT_EQ(reply.status, 304) << describe(reply);
    EXPECT_EQ(reply.header("ETag"), tag);
    EXPECT_EQ(reply.header("Cache-Control"), "private, no-cache");
    expect_common_headers(reply);
    if (!equal_ignoring_case(reply.header("Connection"), "close")) {
      connection.send(get("/health/live").bytes(environment().base));
      EXPECT_EQ(connection.receive().status, 200) << "a 304 has no body";
    }
  }
  for (const std::string& value :
       {std::string("\"other\""), tag.substr(1, tag.size() - 2), std::string("W/\"other\""), "\"a" + tag.substr(1)}) {
    SCOPED_TRACE(value);
    EXPECT_EQ(ask(value).status, 200);
  }
  // Two header lines are one list.
  EXPECT_EQ(get(path).bearer(client()).header("If-None-Match", "\"a\"").header("If-None-Match", tag).send().status,
            304);
  const Reply reply = head(path).bearer(client()).header("If-None-Match", tag).send();
  EXPECT_EQ(reply.status, 304) << describe(reply);
}

TEST(Conditional, IfMatch) {
  checks("Answers: validators, If-Match");
  const std::string path = fill("/api/app/objet-courrier/$21");
  Reply current = get(path).bearer(admin()).send();
  const auto update = [&](int round, const std::string& value) {
    return put(path, update_body(round)).bearer(admin()).header("If-Match", value).send();
  };
  int round = 0;
  for (const std::string& form : {std::string("TAG"), std::string("\"a\", TAG ,\"b\""), std::string("*")}) {
    SCOPED_TRACE(form);
    std::string value = form;
    const std::string tag = current.header("ETag");
    if (const std::size_t position = value.find("TAG"); position != std::string::npos) value.replace(position, 3, tag);
    const Reply reply = update(++round, value);
    EXPECT_EQ(reply.status, 200) << describe(reply);
    EXPECT_TRUE(is_strong_tag(reply.header("ETag")));
    EXPECT_NE(reply.header("ETag"), tag);
    current = get(path).bearer(admin()).send();
    EXPECT_EQ(reply.header("ETag"), current.header("ETag")) << "the answer carries the new tag";
    EXPECT_EQ(reply.body, current.body);
    expect_error(update(round + 1, tag), 412);
  }
  // Compared strongly: a weak tag never matches.
  for (const std::string& value :
       {"W/" + current.header("ETag"), std::string("\"other\""), std::string("\"a\", W/\"b\""), std::string("other")}) {
    SCOPED_TRACE(value);
    expect_error(update(round + 1, value), 412);
  }
  EXPECT_EQ(get(path).bearer(admin()).send().body, current.body) << "412 writes nothing";
  EXPECT_EQ(put(path, update_body(round + 1)).bearer(admin()).send().status, 200) << "without If-Match, the last wins";
}

TEST(Conditional, IfMatchOnAnyMethod) {
  checks("Answers: validators, If-Match");
  for (const char* target :
       {"/api/app/objet-courrier", "/api/app/objet-courrier/list-all", "/api/app/objet-courrier/$00",
        "/api/app/objet-courrier/$00/fichier-modele", "/api/app/liasse", "/api/app/liasse/$RUN-complet",
        "/api/app/liasse/dashboard-list", "/api/abp/application-configuration", "/api/abp/application-localization",
        "/api/abp/api-definition", "/swagger/v1/swagger.json", "/swagger/index.html"}) {
    SCOPED_TRACE(target);
    const std::string tag = get(fill(target)).bearer(manager()).send().header("ETag");
    const auto ask = [&](const std::string& value) {
      return get(fill(target)).bearer(manager()).header("If-Match", value);
    };
    expect_error(ask("\"other\"").send(), 412, {"The resource has changed since you read it!"});
    EXPECT_EQ(head(fill(target)).bearer(manager()).header("If-Match", "\"other\"").send().status, 412);
    EXPECT_EQ(ask(tag).send().status, 200);
    EXPECT_EQ(ask("*").send().status, 200);
    EXPECT_EQ(ask(tag).header("If-None-Match", tag).send().status, 304) << "If-Match first, then If-None-Match";
    EXPECT_EQ(ask("\"other\"").header("If-None-Match", tag).send().status, 412);
  }
  // After the checks of every request.
  const auto refused = [](Request request) { return request.header("If-Match", "\"other\"").send().status; };
  EXPECT_EQ(refused(get("/api/app/liasse")), 401);
  EXPECT_EQ(refused(get(fill("/api/app/liasse/$RUN-hors")).bearer(client())), 403);
  EXPECT_EQ(refused(get(fill("/api/app/liasse/$RUN-absente")).bearer(client())), 404);
  EXPECT_EQ(refused(get("/api/app/objet-courrier?SkipCount=-1").bearer(client())), 400);
  EXPECT_EQ(refused(Request("DELETE", fill("/api/app/objet-courrier/$29")).bearer(admin())), 500);
}

TEST(Conditional, IfNoneMatchOnPut) {
  checks("Answers: validators, If-None-Match");
  const std::string path = fill("/api/app/objet-courrier/$21");
  const Reply before = get(path).bearer(admin()).send();
  const std::string tag = before.header("ETag");
  const bool used = before.body.find(R"("utilisablePourLiasse":true)") != std::string::npos;
  const std::string body = update_body(used ? 1 : 2);  // changes utilisablePourLiasse
  const ExpectedError excluded{"The resource exists in a version that If-None-Match excludes!"};
  for (const std::string& value : {std::string("*"), tag, "W/" + tag, "\"a\", " + tag, suffixed(tag, "-gzip")}) {
    SCOPED_TRACE(value);
    expect_error(put(path, body).bearer(admin()).header("If-None-Match", value).send(), 412, excluded);
    expect_error(put(path, body).bearer(admin()).header("If-Match", tag).header("If-None-Match", value).send(), 412,
                 excluded);
  }
  expect_error(put(path, body).bearer(admin()).header("If-None-Match", "*").header("If-Match", "\"x\"").send(), 412,
               {"The resource has changed since you read it!"});
  expect_validation_error(put(path, "{").bearer(admin()).header("If-None-Match", "*").send(), {""});
  expect_error(
      put("/api/app/objet-courrier/9007199254740991", body).bearer(admin()).header("If-None-Match", "*").send(), 404);
  EXPECT_EQ(get(path).bearer(admin()).send().body, before.body) << "412 writes nothing";
  EXPECT_EQ(put(path, body).bearer(admin()).header("If-None-Match", "\"other\"").send().status, 200);
}

// A proxy that compresses weakens the tags of answers.
TEST(Conditional, AWeakOrMalformedTagIsNamed) {
  checks("Answers: validators, If-Match");
  const std::string path = fill("/api/app/objet-courrier/$21");
  const std::string tag = get(path).bearer(admin()).send().header("ETag");
  const std::string english =
      "If-Match has a weak tag (W/), which matches no version: a proxy on the way has weakened the tag!";
  for (const std::string& value : {"W/" + tag, "\"a\", W/" + tag, std::string("W/\"other\"")}) {
    SCOPED_TRACE(value);
    expect_error(put(path, update_body(1)).bearer(admin()).header("If-Match", value).send(), 412, {english});
    expect_error(get(path).bearer(admin()).header("If-Match", value).send(), 412, {english});
  }
  expect_error(
      get(path).bearer(admin()).header("If-Match", "W/" + tag).header("Accept-Language", "fr").send(), 412,
      {.message =
           "If-Match contient une étiquette faible (W/), qui ne correspond à aucune version : un proxy a affaibli "
           "l'étiquette en chemin !",
       .language = "fr"});
  EXPECT_EQ(get(path).bearer(admin()).header("If-Match", "W/" + tag + ", " + tag).send().status, 200);
  for (const std::string& value : {std::string("abc"), "W/" + tag + ", abc"}) {
    expect_error(put(path, update_body(1)).bearer(admin()).header("If-Match", value).send(), 412,
                 {"If-Match is not a list of entity tags!"});
  }
}

TEST(Conditional, OneOfTwoRacingPutsWins) {
  checks("Answers: validators, racing PUTs");
  if (!environment().compare_and_swap) {
    GTEST_SKIP() << "PORTAIL_CONTRACT_COMPARE_AND_SWAP is 0: the host's store has none, and If-Match is best effort";
  }
  const std::string path = fill("/api/app/objet-courrier/$22");
  std::string tag = get(path).bearer(admin()).send().header("ETag");
  for (int round = 0; round < 25; ++round) {
    std::array<Connection, 2> racers{Connection(environment().base), Connection(environment().base)};
    std::array<std::string, 2> bodies{update_body(round * 2 + 1), update_body(round * 2 + 2)};
    for (std::size_t i = 0; i < 2; ++i)
      racers.at(i).send(put(path, bodies.at(i)).bearer(admin()).header("If-Match", tag).bytes(environment().base));
    std::array<Reply, 2> replies{racers[0].receive(), racers[1].receive()};
    std::array<int, 2> statuses{replies[0].status, replies[1].status};
    std::ranges::sort(statuses);
    const Reply after = get(path).bearer(admin()).send();
    ASSERT_EQ(statuses, (std::array{200, 412})) << describe(replies[0]) << describe(replies[1]);
    const Reply& winner = replies[0].status == 200 ? replies[0] : replies[1];
    EXPECT_EQ(after.body, winner.body);
    EXPECT_EQ(after.header("ETag"), winner.header("ETag"));
    tag = after.header("ETag");
  }
}

TEST(Conditional, CompressedForms) {
  checks("Answers: validators, compressed forms");
  const std::string path = fill("/api/app/objet-courrier/$21");
  const std::string tag = get(path).bearer(admin()).send().header("ETag");
  for (const char* suffix : {"-gzip", "-br", "-zstd"}) {
    SCOPED_TRACE(suffix);
    EXPECT_EQ(get(path).bearer(admin()).header("If-None-Match", suffixed(tag, suffix)).send().status, 304);
    const std::string body = get(path).bearer(admin()).send().body;
    const std::string same = body.find(R"("utilisablePourLiasse":true)") != std::string::npos ? "true" : "false";
    const std::string assignment = at(parsed(get(path).bearer(admin()).send()), {"typeAffectation"}).to_str();
    const Reply reply = put(path, R"({"utilisablePourLiasse":)" + same + R"(,"typeAffectation":")" + assignment + "\"}")
                            .bearer(admin())
                            .header("If-Match", suffixed(tag, suffix))
                            .send();
    EXPECT_EQ(reply.status, 200) << describe(reply);
    EXPECT_EQ(reply.header("ETag"), tag) << "nothing changed";
  }
  EXPECT_EQ(get(path).bearer(admin()).header("If-None-Match", suffixed(tag, "-other")).send().status, 200);
  EXPECT_EQ(get(path).bearer(admin()).header("If-None-Match", suffixed(tag, "-gzip-gzip")).send().status, 200);
  for (const char* coding : {"gzip", "br", "zstd", "gzip, br, zstd"}) {
    SCOPED_TRACE(coding);
    const Reply plain = get("/api/app/objet-courrier/list-all").bearer(admin()).send();
    const Reply reply =
        get("/api/app/objet-courrier/list-all").bearer(admin()).header("Accept-Encoding", coding).send();
    EXPECT_EQ(reply.status, 200);
    const std::string used = reply.header("Content-Encoding");
    EXPECT_EQ(reply.header("ETag"), used.empty() ? plain.header("ETag") : suffixed(plain.header("ETag"), "-" + used));
    const Reply unchanged = get("/api/app/objet-courrier/list-all")
                                .bearer(admin())
                                .header("Accept-Encoding", coding)
                                .header("If-None-Match", reply.header("ETag"))
                                .send();
    EXPECT_EQ(unchanged.status, 304);
  }
}

TEST(Conditional, NotModifiedOnlyAfterTheChecks) {
  checks("Answers: validators, 304 after 401, 403, 404");
  const auto ask = [](std::string_view target, const std::string& bearer_token) {
    return get(fill(target)).bearer(bearer_token).header("If-None-Match", "*").send().status;
  };
  EXPECT_EQ(get(fill("/api/app/objet-courrier/$00")).header("If-None-Match", "*").send().status, 401);
  EXPECT_EQ(ask("/api/app/objet-courrier/$00", "a.b.c"), 401);
  EXPECT_EQ(ask("/api/app/liasse/dashboard-list", client()), 403);
  EXPECT_EQ(ask("/api/app/liasse/$RUN-hors", client()), 403);
  EXPECT_EQ(ask("/api/app/liasse/$RUN-absente", client()), 404);
  EXPECT_EQ(ask("/api/app/objet-courrier/9007199254740991", client()), 404);
  EXPECT_EQ(ask("/api/app/objet-courrier/$02/fichier-modele", client()), 404);
  EXPECT_EQ(ask("/api/app/objet-courrier/$00", client()), 304);
}

TEST(Conditional, TheETagCoversTheCallersView) {
  checks("Answers: validators, the tag covers what the caller sees");
  const std::string path = fill("/api/app/liasse/$RUN-deroge");
  const std::string privileged =
      token(fill("$RUN-client"), {{"permissions", R"(["PortailClients.Liasses.VoirPieceDerogee"])"}});
  const std::string all = get(path).bearer(privileged).send().header("ETag");
  const std::string some = get(path).bearer(client()).send().header("ETag");
  EXPECT_NE(all, some);
  EXPECT_EQ(get(path).bearer(client()).header("If-None-Match", all).send().status, 200);
  EXPECT_EQ(get(path).bearer(privileged).header("If-None-Match", some).send().status, 200);
  EXPECT_NE(get("/api/app/liasse").bearer(client()).send().header("ETag"),
            get("/api/app/liasse").bearer(token(fill("$RUN-other"))).send().header("ETag"));

  // A change of a mail object's configuration changes every answer that contains it.
  const auto tag_of = [](const std::string& target) { return get(target).bearer(client()).send().header("ETag"); };
  const std::string list_target = "/api/app/objet-courrier/list-all";
  const std::string page_target = page_of(21);
  const std::string other_page_target = page_of(0);
  const std::string other_target = fill("/api/app/objet-courrier/$00");
  const std::string list = tag_of(list_target);
  const std::string page = tag_of(page_target);
  const std::string other_page = tag_of(other_page_target);
  const std::string other = tag_of(other_target);
  const std::string object = get(fill("/api/app/objet-courrier/$21")).bearer(client()).send().body;
  const bool used = object.find(R"("utilisablePourLiasse":true)") != std::string::npos;
  const Reply changed =
      put(fill("/api/app/objet-courrier/$21"),
          std::string(R"({"utilisablePourLiasse":)") + (used ? "false" : "true") + R"(,"typeAffectation":"Rien"})")
          .bearer(admin())
          .send();
  EXPECT_EQ(changed.status, 200) << describe(changed);
  EXPECT_NE(tag_of(list_target), list);
  EXPECT_NE(tag_of(page_target), page);
  EXPECT_EQ(tag_of(other_page_target), other_page);
  EXPECT_EQ(tag_of(other_target), other);
}

}  // namespace
}  // namespace portail::contract
