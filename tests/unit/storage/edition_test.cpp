#include "core/storage/edition.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace portail {
namespace {

constexpr AuditName import{1'768'478'400'000'000, 7};
constexpr AuditName last{1'768'478'400'000'001, 255};
constexpr std::string_view complete_line =
    "0\tfalse\tRien\taudit.1768478400000000.0000000000000007\tcomplete\taudit.1768478400000001.00000000000000ff\n";

TEST(EditionLine, IsTheConfigurationOfNoMailObject) {
  EXPECT_EQ(edition_line({.import = import, .is_complete = true}, last), complete_line);
  EXPECT_EQ(
      edition_line({.import = import, .is_complete = false}, import),
      "0\tfalse\tRien\taudit.1768478400000000.0000000000000007\tbegun\taudit.1768478400000000.0000000000000007\n");
}

TEST(EditionLine, IsReadAndRemoved) {
  for (const bool is_complete : {false, true}) {
    const Edition edition{.import = import, .is_complete = is_complete};
    const std::string value = edition_line(edition, last) + "1\ttrue\tRien\n";
    std::string_view content = value;
    EXPECT_EQ(take_edition(content, last), edition);
    EXPECT_EQ(content, "1\ttrue\tRien\n");
  }
}

TEST(EditionLine, IsInvalidAfterAChangeByAnOlderProgram) {
  for (const std::optional<AuditName>& other :
       {std::optional(import), std::optional(AuditName{last.time, last.id + 1}), std::optional<AuditName>()}) {
    const std::string value = std::string(complete_line) + "1\ttrue\tRien\n";
    std::string_view content = value;
    EXPECT_EQ(take_edition(content, other), std::nullopt);
    EXPECT_EQ(content, "1\ttrue\tRien\n");
  }
}

TEST(EditionLine, OfAnotherFormIsInvalid) {
  std::size_t cut = 0;
  for (; cut < complete_line.size() - 1; ++cut) {
    const std::string line = std::string(complete_line.substr(0, cut)) + "\n";
    std::string_view content = line;
    EXPECT_EQ(take_edition(content, last), std::nullopt) << cut;
    EXPECT_EQ(content, cut >= 2 ? "" : line) << cut;
  }
  EXPECT_EQ(cut, 101U);
  std::string_view none = "10\ttrue\tRien\n";
  EXPECT_EQ(take_edition(none, last), std::nullopt);
  EXPECT_EQ(none, "10\ttrue\tRien\n");
}

}  // namespace
}  // namespace portail
