#include "core/http/problem.hpp"

#include <array>

#include <gtest/gtest.h>

#include "tests/unit/http/headers.hpp"

namespace portail {
namespace {

TEST(Problem, NamesTheMissingPermission) {
  const Response response =
      permission_problem(Language::english, Message::permission_missing, "PortailClients.Dashboard.Host");
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(body_text(response),
            R"({"error":{"code":null,"message":"You do not have the permission that this operation needs!",)"
            R"("details":null,"data":{"PolicyName":"PortailClients.Dashboard.Host"},"validationErrors":null}})");
  EXPECT_EQ(only_header(response, "_AbpErrorFormat"), std::nullopt);
}

TEST(ValidationProblem, ListsItsErrors) {
  constexpr std::array errors{ValidationError{Message::max_result_count_out_of_range, "maxResultCount"},
                              ValidationError{Message::field_missing, "typeAffectation"}};
  const Response response = validation_problem(Language::english, errors);
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(body_text(response),
            R"({"error":{"code":null,"message":"Your request is not valid!",)"
            R"("details":"The following errors were detected during validation.\n)"
            R"( - The field MaxResultCount must be an integer between 1 and 1000.\n)"
            R"( - The field typeAffectation is required.\n",)"
            R"("data":{},"validationErrors":[)"
            R"({"message":"The field MaxResultCount must be an integer between 1 and 1000.",)"
            R"("members":["maxResultCount"]},)"
            R"({"message":"The field typeAffectation is required.","members":["typeAffectation"]}]}})");
  EXPECT_EQ(only_header(response, "_AbpErrorFormat"), "true");
}

TEST(ValidationProblem, NamesNoMemberForMalformedJson) {
  constexpr std::array errors{ValidationError{Message::body_not_json}};
  const Response response = validation_problem(Language::french, errors);
  EXPECT_EQ(body_text(response), R"({"error":{"code":null,"message":"Votre requête n'est pas valide !",)"
                                 R"("details":"Les erreurs suivantes ont été détectées lors de la validation.\n)"
                                 R"( - Le corps de la requête n'est pas du JSON valide.\n",)"
                                 R"("data":{},"validationErrors":[)"
                                 R"({"message":"Le corps de la requête n'est pas du JSON valide.","members":[]}]}})");
}

TEST(UnauthorizedProblem, ChallengesTheClient) {
  EXPECT_EQ(only_header(unauthorized_problem(Language::english, std::nullopt), "WWW-Authenticate"), "Bearer");
  const Response response = unauthorized_problem(Language::english, "the token has expired");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(only_header(response, "WWW-Authenticate"),
            R"(Bearer error="invalid_token", error_description="the token has expired")");
  EXPECT_EQ(only_header(unauthorized_problem(Language::english, "a\"b\\\r\nc\xc3\xa9"), "WWW-Authenticate"),
            R"(Bearer error="invalid_token", error_description="a_b___c__")");
}

TEST(OtherProblems, CarryTheirHeaders) {
  const Response not_allowed = method_not_allowed_problem(Language::english, "GET, HEAD, PUT");
  EXPECT_EQ(not_allowed.status, 405);
  EXPECT_EQ(only_header(not_allowed, "Allow"), "GET, HEAD, PUT");
  const Response unavailable = unavailable_problem(Language::english, 30);
  EXPECT_EQ(unavailable.status, 503);
  EXPECT_EQ(only_header(unavailable, "Retry-After"), "30");
  const Response limited = too_many_requests_problem(
      Language::french, {.policy = "address", .quota = 100, .window_seconds = 10, .retry_after_seconds = 1});
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(body_text(limited), R"({"error":{"code":null,)"
                                R"("message":"Vous envoyez trop de requêtes, réessayez plus tard !",)"
                                R"("details":null,"data":{},"validationErrors":null}})");
  EXPECT_EQ(only_header(limited, "Retry-After"), "1");
  EXPECT_EQ(only_header(limited, "RateLimit-Policy"), R"("address";q=100;w=10)");
  EXPECT_EQ(only_header(limited, "RateLimit"), R"("address";r=0;t=1)");
  EXPECT_EQ(only_header(limited, "Cache-Control"), "no-store");
  const Response framing = framing_problem(431, Language::english, Message::headers_too_large);
  EXPECT_EQ(framing.status, 431);
  EXPECT_TRUE(framing.close);
}

}  // namespace
}  // namespace portail
