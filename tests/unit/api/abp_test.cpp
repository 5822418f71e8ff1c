// What ABP front ends read at start: the portal's own texts, and its tenant.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/api/endpoints.hpp"
#include "core/auth/permissions.hpp"
#include "tests/unit/api/portal_test.hpp"

namespace portail {
namespace {

constexpr std::string_view configuration_target =
    "/api/abp/application-configuration?includeLocalizationResources=false";

std::string portal_texts(Language language) {
  std::string text;
  JsonWriter json(text);
  write_portal_texts(json, language);
  return text;
}

TEST(PortalTexts, NameThePermissionsAndTheMessages) {
  EXPECT_TRUE(portal_texts(Language::english)
                  .starts_with(R"({"texts":{"Permission:PortailClients":"Customer portal",)"
                               R"("Permission:ObjetsCourrier.Update":"Change mail objects",)"
                               R"("Permission:Liasses.VoirPieceDerogee":"See derogated pieces",)"
                               R"("Permission:Dashboard.Host":"See the dashboard",)"
                               R"("ValidationErrorMessage":"Your request is not valid!",)"));
  EXPECT_TRUE(portal_texts(Language::french)
                  .ends_with(R"("BodyTooDeep":"Le corps de la requête est imbriqué trop profondément."},)"
                             R"("baseResources":["AbpValidation"]})"));
}

TEST(PortalTexts, HaveOneForEachPermission) {
  ASSERT_EQ(all_permissions.size(), 3U);
  for (const Permission permission : all_permissions) {
    const std::string_view name = name_of(permission);
    ASSERT_TRUE(name.starts_with("PortailClients.")) << name;
    const std::string key = "\"Permission:" + std::string(name.substr(15)) + "\":\"";
    EXPECT_TRUE(portal_texts(Language::english).contains(key)) << key;
    EXPECT_TRUE(portal_texts(Language::french).contains(key)) << key;
  }
}

class AbpTest : public PortalTest {
 protected:
  std::string configuration_with(std::string_view tenant, const std::string& bearer_token) {
    Settings with_tenant = settings();
    with_tenant.tokens.tenant = tenant;
    const Service of_tenant(with_tenant, test_key_set(), store);
    TestRequest request("GET", configuration_target, bearer_token);
    const auto answer = run_ready(portail::serve(test.context, of_tenant, request.view()));
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(Answer{}).body;
  }
};

TEST_F(AbpTest, TellsTheTenantThatIsConfigured) {
  constexpr std::string_view none = R"("currentTenant":{"id":null,"name":null,"isAvailable":false})";
  constexpr std::string_view bank = R"("currentTenant":{"id":"bank \"1\"","name":"bank \"1\"","isAvailable":true})";
  EXPECT_TRUE(configuration_with("", client).contains(none));
  EXPECT_TRUE(configuration_with("bank \"1\"", "").contains(bank));
  EXPECT_TRUE(configuration_with("\xff", "").contains(none)) << "no token can have that tenant";
}

TEST_F(AbpTest, TellsTheTenantOfTheCaller) {
  const std::string of_bank = make_test_token({.subject = "sub-client", .extra_members = R"(,"tenantid":"bank")"});
  EXPECT_TRUE(
      configuration_with("bank", of_bank).contains(R"("isAuthenticated":true,"id":"sub-client","tenantId":"bank")"));
  EXPECT_TRUE(configuration_with("", of_bank).contains(R"("isAuthenticated":true,"id":"sub-client","tenantId":null)"));
  EXPECT_TRUE(configuration_with("bank", client).contains(R"("isAuthenticated":false,"id":null,"tenantId":null)"));
}

}  // namespace
}  // namespace portail
