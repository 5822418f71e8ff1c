#include "core/auth/grants.hpp"

#include <gtest/gtest.h>

#include "core/http/reason.hpp"

namespace portail {
namespace {

Caller caller(std::string subject, std::vector<std::string> roles = {}) {
  Caller result;
  result.subject = std::move(subject);
  result.roles = std::move(roles);
  return result;
}

Grants grants(std::string_view stored) {
  const auto parsed = Grants::parse(stored);
  EXPECT_TRUE(parsed.has_value()) << stored;
  return parsed.value_or(Grants{});
}

TEST(Grants, AreStoredOneALine) {
  std::string stored;
  append_grant(stored, Permission::dashboard, GrantKind::role, "gestionnaire");
  append_grant(stored, Permission::update_mail_objects, GrantKind::user, "a\"b\\c\té\x01");
  append_grant(stored, Permission::see_derogated_pieces, GrantKind::client, "robot");
  EXPECT_EQ(stored,
            "PortailClients.Dashboard.Host\trole\t\"gestionnaire\"\n"
            "PortailClients.ObjetsCourrier.Update\tutilisateur\t\"a\\\"b\\\\c\\té\\u0001\"\n"
            "PortailClients.Liasses.VoirPieceDerogee\tclient\t\"robot\"\n");
  std::string seen;
  grants(stored).for_each([&seen](Permission permission, GrantKind kind, std::string_view quoted_name) {
    seen += std::string(name_of(permission)) + ' ' + std::string(name_of(kind)) + ' ' + std::string(quoted_name) + ';';
  });
  EXPECT_EQ(seen,
            "PortailClients.Dashboard.Host role \"gestionnaire\";"
            "PortailClients.ObjetsCourrier.Update utilisateur \"a\\\"b\\\\c\\té\\u0001\";"
            "PortailClients.Liasses.VoirPieceDerogee client \"robot\";");
}

TEST(Grants, RefuseMalformedText) {
  for (std::string_view stored : {
           "PortailClients.Dashboard.Host\trole\t\"a\"",       // no line feed
           "PortailClients.Dashboard.Host\trole\n",            // no name
           "PortailClients.Dashboard\trole\n",                 // no name, of another permission
           "PortailClients.Dashboard.Host\trole\ta\n",         // no quotes
           "PortailClients.Dashboard.Host\trole\t\"\n",        // one quote
           "PortailClients.Dashboard.Host\trole\t\"a\"b\"\n",  // a quote inside
           "PortailClients.Dashboard.Host\trole\t\"a\\\"\n",   // the last quote is escaped
           "PortailClients.Dashboard.Host\trole\t\"a\tb\"\n",  // a control
           "\n",
       }) {
    const auto parsed = Grants::parse(stored);
    ASSERT_FALSE(parsed.has_value()) << stored;
    EXPECT_EQ(parsed.error(), Failure::corrupt);
  }
  EXPECT_TRUE(Grants::parse("").has_value());
}

TEST(Grants, OfALaterVersionGiveNothing) {
  const Grants some = grants(
      "PortailClients.Dashboard\tutilisateur\t\"sub-1\"\n"
      "PortailClients.Dashboard.Host\tgroupe\t\"sub-1\"\n"
      "PortailClients.Dashboard.Host\tutilisateur\t\"sub-1\"\tuntil\n"
      "PortailClients.Dashboard.Host\tutilisateur\t\"sub-2\"\n");
  EXPECT_FALSE(holds(caller("sub-1"), Permission::dashboard, some));
  EXPECT_TRUE(holds(caller("sub-2"), Permission::dashboard, some));
  int known = 0;
  some.for_each([&known](Permission, GrantKind, std::string_view) { ++known; });
  EXPECT_EQ(known, 1);
}

TEST(Holds, ByTheTokensPermissions) {
  Caller tested = caller("sub-1");
  tested.permissions.add(Permission::dashboard);
  EXPECT_TRUE(holds(tested, Permission::dashboard, {}));
  EXPECT_FALSE(holds(tested, Permission::update_mail_objects, {}));
}

TEST(Holds, ByAGrantToTheSubject) {
  const Grants some = grants("PortailClients.Dashboard.Host\tutilisateur\t\"sub-1\"\n");
  EXPECT_TRUE(holds(caller("sub-1"), Permission::dashboard, some));
  EXPECT_FALSE(holds(caller("sub-1"), Permission::update_mail_objects, some));
  EXPECT_FALSE(holds(caller("sub-2"), Permission::dashboard, some));
  EXPECT_FALSE(holds(caller("SUB-1"), Permission::dashboard, some));
  EXPECT_FALSE(holds(caller("other", {"sub-1"}), Permission::dashboard, some));
}

TEST(Holds, ByAGrantToARole) {
  const Grants some = grants(
      "PortailClients.ObjetsCourrier.Update\tutilisateur\t\"sub-1\"\n"
      "PortailClients.Dashboard.Host\trole\t\"gestionnaire\"\n");
  EXPECT_TRUE(holds(caller("a", {"x", "gestionnaire"}), Permission::dashboard, some));
  EXPECT_FALSE(holds(caller("a", {"x"}), Permission::dashboard, some));
  EXPECT_FALSE(holds(caller("gestionnaire"), Permission::dashboard, some));
}

TEST(Holds, ByAGrantToAClientForItsOwnTokenOnly) {
  const Grants some = grants("PortailClients.Dashboard.Host\tclient\t\"robot\"\n");
  Caller tested = caller("");
  tested.client = "robot";
  tested.is_client_token = true;
  EXPECT_TRUE(holds(tested, Permission::dashboard, some));
  tested.is_client_token = false;
  EXPECT_FALSE(holds(tested, Permission::dashboard, some));
  EXPECT_FALSE(holds(caller("robot", {"robot"}), Permission::dashboard, some));
}

TEST(Holds, IsFalseForAGrantWithAnEmptyName) {
  const Grants some = grants(
      "PortailClients.Dashboard.Host\tutilisateur\t\"\"\n"
      "PortailClients.Dashboard.Host\tclient\t\"\"\n");
  Caller tested = caller("");
  tested.is_client_token = true;
  EXPECT_FALSE(holds(tested, Permission::dashboard, some));
}

TEST(Holds, ByUnescapedNames) {
  std::string stored;
  append_grant(stored, Permission::dashboard, GrantKind::user, "a\nb");
  EXPECT_TRUE(holds(caller("a\nb"), Permission::dashboard, grants(stored)));
  EXPECT_FALSE(holds(caller("a\\nb"), Permission::dashboard, grants(stored)));

  std::string backslash;
  append_grant(backslash, Permission::dashboard, GrantKind::user, "a\\nb");
  EXPECT_TRUE(holds(caller("a\\nb"), Permission::dashboard, grants(backslash)));
  EXPECT_FALSE(holds(caller("a\nb"), Permission::dashboard, grants(backslash)));
  EXPECT_FALSE(holds(caller("a\\\\nb"), Permission::dashboard, grants(backslash)));
}

TEST(Permissions, AreNamedIfMissing) {
  const auto missing = [](Permission permission) {
    return "The permission " + std::string(name_of(permission)) + " is missing";
  };
  EXPECT_EQ(text_of(Reason::no_update_permission), missing(Permission::update_mail_objects));
  EXPECT_EQ(text_of(Reason::no_dashboard_permission), missing(Permission::dashboard));
}

}  // namespace
}  // namespace portail
