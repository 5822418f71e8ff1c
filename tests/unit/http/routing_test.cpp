#include "core/http/routing.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

constexpr RoutePattern one("/api/app/objet-courrier/{id}");
constexpr RoutePattern file("/api/app/objet-courrier/{id}/fichier-modele");
constexpr RoutePattern all("/api/app/objet-courrier");

std::optional<std::string> captured(const RoutePattern& pattern, std::string_view target) {
  const auto parsed = Target::parse(target);
  const auto match = pattern.match(parsed->segments());
  return match ? std::optional<std::string>(*match) : std::nullopt;
}

TEST(RoutePattern, ComparesLiteralsWithoutRegardToCase) {
  EXPECT_EQ(captured(all, "/api/app/objet-courrier"), "");
  EXPECT_EQ(captured(all, "/API/App/Objet-Courrier/"), "");
  EXPECT_EQ(captured(all, "/%61pi/app/objet%2Dcourrier"), "");
  EXPECT_EQ(captured(all, "/api/app/objet_courrier"), std::nullopt);
  EXPECT_EQ(captured(all, "/api/app"), std::nullopt);
  EXPECT_EQ(captured(all, "/api/app/objet-courrier/1"), std::nullopt);
  EXPECT_EQ(captured(all, "/api//app/objet-courrier"), std::nullopt);
}

TEST(RoutePattern, CapturesOneSegment) {
  EXPECT_EQ(captured(one, "/api/app/objet-courrier/42"), "42");
  EXPECT_EQ(captured(one, "/api/app/objet-courrier/L%20%C3%A9/"), "L é");
  EXPECT_EQ(captured(one, "/api/app/objet-courrier//"), std::nullopt);
  EXPECT_EQ(captured(one, "/api/app/objet-courrier/"), std::nullopt);
  EXPECT_EQ(captured(file, "/api/app/objet-courrier/42/Fichier-Modele"), "42");
  EXPECT_EQ(captured(file, "/api/app/objet-courrier//fichier-modele"), std::nullopt);
  EXPECT_EQ(captured(file, "/api/app/objet-courrier/42/fichier"), std::nullopt);
}

TEST(RoutePattern, KeepsItsText) { EXPECT_EQ(one.text(), "/api/app/objet-courrier/{id}"); }

}  // namespace
}  // namespace portail
