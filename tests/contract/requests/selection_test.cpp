// docs/reference/contract.md, "Requests": sorting and filter of the paged list.
#include <gtest/gtest.h>

#include "tests/contract/support/data_set.hpp"
#include "tests/contract/support/expectations.hpp"
#include "tests/contract/support/request.hpp"
#include "tests/contract/support/rows.hpp"
#include "tests/contract/support/tokens.hpp"

namespace portail::contract {
namespace {

// The prefix of exactly ten of the data set's mail objects.
constexpr std::string_view stable = "?MaxResultCount=20&Filter=$RUN-";

Reply list(std::string_view query) {
  return get(fill("/api/app/objet-courrier" + std::string(query))).bearer(token(fill("$RUN-client"))).send();
}

// The last digits of the ids in a page, in its order.
std::string order(const Reply& reply) {
  std::string digits;
  const picojson::value items = at(parsed(reply), {"items"});
  if (!items.is<picojson::array>()) return describe(reply);
  for (const picojson::value& each : items.get<picojson::array>()) {
    digits += std::to_string(static_cast<std::int64_t>(at(each, {"id"}).get<double>())).back();
  }
  return digits;
}

std::string sorted_by(std::string_view sorting) {
  return order(list(std::string(stable) + "&Sorting=" + std::string(sorting)));
}

TEST(Sorting, EachField) {
  checks("Requests: sorting");
  EXPECT_EQ(sorted_by("id"), "0123456789");
  EXPECT_EQ(sorted_by("id%20desc"), "9876543210");
  EXPECT_EQ(sorted_by("typeObjet"), "9102784365");
  EXPECT_EQ(sorted_by("description"), "0392758641") << "by UTF-8 bytes: É is after every letter of ASCII";
  EXPECT_EQ(sorted_by("utilisablePourLiasse"), "1450236789");
  EXPECT_EQ(sorted_by("typeAffectation"), "0789234156");
  EXPECT_EQ(sorted_by("lienFichier"), "1234567089");
}

TEST(Sorting, DirectionsAndNamesWithoutRegardToCase) {
  checks("Requests: sorting");
  EXPECT_EQ(sorted_by("TYPEOBJET%20ASC"), "9102784365");
  EXPECT_EQ(sorted_by("typeobjet+Desc"), "5634872019");
  EXPECT_EQ(sorted_by("%20typeObjet%20%20desc%20"), "5634872019");
  EXPECT_EQ(sorted_by("utilisablepourliasse+DESC"), "0236789145") << "what is equal stays by id";
}

TEST(Sorting, SeveralFieldsTheFirstCountingMost) {
  checks("Requests: sorting");
  EXPECT_EQ(sorted_by("typeAffectation%20desc,typeObjet%20desc"), "5613428709");
  EXPECT_EQ(sorted_by("typeAffectation%2C%20id%20desc"), "9870432651");
  EXPECT_EQ(sorted_by("utilisablePourLiasse%20DESC,typeAffectation,id"), "0789236415") << "true before false";
  EXPECT_EQ(sorted_by("id,id%20desc"), "0123456789") << "a field's second naming has nothing left to order";
}

TEST(Sorting, BeforeThePageIsCut) {
  checks("Requests: sorting");
  const Reply reply = list("?Filter=$RUN-&Sorting=typeObjet%20desc&SkipCount=3&MaxResultCount=2");
  EXPECT_EQ(reply.body, fill(R"({"totalCount":10,"items":[$O04,$O08]})")) << describe(reply);
  EXPECT_EQ(list("?Filter=$RUN-&Sorting=typeObjet&SkipCount=10").body, R"({"totalCount":10,"items":[]})");
}

TEST(Sorting, AnEmptyValueIsTheDefault) {
  checks("Requests: sorting");
  const std::string expected = list("?MaxResultCount=3").body;
  EXPECT_EQ(list("?MaxResultCount=3&Sorting=").body, expected);
  EXPECT_EQ(list("?MaxResultCount=3&Sorting=%20").body, expected);
  EXPECT_EQ(list("?MaxResultCount=3&Sorting").body, expected);
}

TEST(Sorting, UnknownFieldsAndDirections) {
  checks("Requests: sorting, what is no field or direction");
  for (const char* wrong : {"nomFichier", "type", "id%20up", "id%20asc%20desc", "id,", ",id", "id,,typeObjet",
                            "%22id%22", "id;drop", "id%20desc%20desc", "asc", "null", "%00", "%FF"}) {
    SCOPED_TRACE(wrong);
    expect_validation_error(list("?Sorting=" + std::string(wrong)), {"sorting"});
  }
  expect_validation_error(list("?Sorting=x&SkipCount=-1"), {"skipCount", "sorting"});
}

TEST(Filter, PartsOfTypeAndDescriptionWithoutRegardToCase) {
  checks("Requests: filter");
  const auto filtered = [](std::string_view filter) {
    return order(list("?Sorting=id&MaxResultCount=1000&Filter=" + std::string(filter)));
  };
  EXPECT_EQ(filtered("$RUN-"), "0123456789");
  EXPECT_EQ(filtered("$RUN-DOUBLE"), "78");
  EXPECT_EQ(filtered("$RUN-%C3%A9"), "3") << "é finds É";
  EXPECT_EQ(filtered("$RUN-e"), "") << "an accent counts";
  EXPECT_EQ(filtered("$RUN-b"), "12");
  EXPECT_EQ(filtered("$RUN-%F0%9F%98%80"), "5");
  EXPECT_EQ(filtered("$RUN-%25"), "") << "no pattern";
  const std::string description = list("?MaxResultCount=1000&Filter=CARTE+NATIONALE+D'IDENTIT%C3%89").body;
  EXPECT_NE(description.find(fill("$O00")), std::string::npos) << description;
  EXPECT_EQ(description.find(fill("$O03")), std::string::npos) << description;
}

TEST(Filter, CountsItsMatches) {
  checks("Requests: filter");
  EXPECT_EQ(list("?Filter=$RUN-DOUBLE&MaxResultCount=1").body, fill(R"({"totalCount":2,"items":[$O07]})"));
  EXPECT_EQ(list("?Filter=$RUN-double&SkipCount=1").body, fill(R"({"totalCount":2,"items":[$O08]})"));
  EXPECT_EQ(list("?Filter=$RUN-absent").body, R"({"totalCount":0,"items":[]})");
}

TEST(Filter, AnEmptyValueIsIgnored) {
  checks("Requests: filter");
  const std::string expected = list("?MaxResultCount=3").body;
  EXPECT_EQ(list("?MaxResultCount=3&Filter=").body, expected);
  EXPECT_EQ(list("?MaxResultCount=3&Filter=%20%20").body, expected);
}

}  // namespace
}  // namespace portail::contract
