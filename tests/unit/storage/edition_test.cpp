#include "core/storage/edition.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace portail {
namespace {

constexpr AuditName import{1'768'478'400'000'000, 7};
constexpr AuditName last{1'768'478'400'000'001, 255};
constexpr std::string_view complete_line =
    "18446744073709551615\tfalse\tRien\taudit.1768478400000000.0000000000000007\tcomplete\taudit.1768478400000001."
    "00000000000000ff\n";

TEST(EditionLine, IsTheConfigurationOfNoMailObject) {
  EXPECT_EQ(edition_line({.import = import, .is_complete = true}, last), complete_line);
  EXPECT_EQ(edition_line({.import = import, .is_complete = false}, import),
            "18446744073709551615\tfalse\tRien\taudit.1768478400000000.0000000000000007\tbegun\taudit.1768478400000000."
            "0000000000000007\n");
  EXPECT_TRUE(edition_line({.import = import, .is_complete = false, .sections = 12}, last).ends_with("ff\t12\n"));
}

constexpr std::string_view last_key = "audit.1768478400000001.00000000000000ff";

AuditedValue value_of(std::string_view content, std::string_view key = last_key) {
  return {.last = audit_name_of(key), .last_key = key, .content = content};
}

TEST(EditionLine, IsReadAndRemoved) {
  for (const auto& [is_complete, sections] : {std::pair{false, 0U}, {true, 0U}, {false, 5U}, {false, 15U}}) {
    const Edition edition{.import = import, .is_complete = is_complete, .sections = sections};
    const std::string content = "0\ttrue\tRien\n" + edition_line(edition, last);
    AuditedValue value = value_of(content);
    EXPECT_EQ(take_edition(value), edition);
    EXPECT_EQ(value.content, "0\ttrue\tRien\n");
  }
}

TEST(IncompleteConfiguration, IsTheSameButForTheEdition) {
  const std::string before = "audit\t" + std::string(last_key) + "\n0\ttrue\tRien\n";
  const std::string begun = before + edition_line({.import = import, .is_complete = false}, last);
  EXPECT_EQ(incomplete_configuration(before + std::string(complete_line)), begun);
  for (const std::string& same : {begun, before, std::string(), std::string("0\ttrue\tRien\n")})
    EXPECT_EQ(incomplete_configuration(same), same);
}

TEST(EditionLine, IsInvalidAfterAChangeByAnOlderProgram) {
  for (const std::string_view other :
       {"audit.1768478400000000.0000000000000007", "audit.1768478400000001.00000000000000fe", ""}) {
    const std::string content = "0\ttrue\tRien\n" + std::string(complete_line);
    AuditedValue value = value_of(content, other);
    EXPECT_EQ(take_edition(value), std::nullopt);
    EXPECT_EQ(value.content, "0\ttrue\tRien\n");
  }
}

TEST(EditionLine, OfAnotherFormIsInvalid) {
  std::size_t cut = 0;
  for (; cut < complete_line.size() - 1; ++cut) {
    const std::string line = std::string(complete_line.substr(0, cut)) + "\n";
    AuditedValue value = value_of(line);
    EXPECT_EQ(take_edition(value), std::nullopt) << cut;
    EXPECT_EQ(value.content, cut >= 21 ? "" : line) << cut;
  }
  EXPECT_EQ(cut, 120U);
  AuditedValue none = value_of("0\tfalse\tRien\n");
  EXPECT_EQ(take_edition(none), std::nullopt);
  EXPECT_EQ(none.content, "0\tfalse\tRien\n");
}

}  // namespace
}  // namespace portail
