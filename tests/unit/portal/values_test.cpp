#include "core/portal/values.hpp"

#include <string>

#include <gtest/gtest.h>

namespace portail {
namespace {

std::string date(std::string_view text) {
  const auto checked = check_date_time(text);
  return checked ? checked->text + " = " + checked->instant : std::string(checked.error());
}

template <class Outcome>
std::string fault(const Outcome& outcome) {
  return outcome ? "none" : std::string(outcome.error());
}

TEST(DateTime, KeepsOffsetAndFraction) {
  EXPECT_EQ(date("1970-01-01T00:00:00Z"), "1970-01-01T00:00:00+00:00 = 0");
  EXPECT_EQ(date("2024-01-15T10:30:00+01:00"), "2024-01-15T10:30:00+01:00 = 1705311000");
  EXPECT_EQ(date("2024-01-15T10:30:00.250-05:30"), "2024-01-15T10:30:00.250-05:30 = 1705334400.250");
  EXPECT_EQ(date("2024-02-29T23:59:59.1234567Z"), "2024-02-29T23:59:59.1234567+00:00 = 1709251199.1234567");
  EXPECT_EQ(date("2000-02-29T00:00:00+14:00"), "2000-02-29T00:00:00+14:00 = 951732000");
  EXPECT_EQ(date("0001-01-01T00:00:00Z"), "0001-01-01T00:00:00+00:00 = -62135596800");
  EXPECT_EQ(date("9999-12-31T23:59:59Z"), "9999-12-31T23:59:59+00:00 = 253402300799");
  EXPECT_EQ(date("1969-12-31T23:59:59.5Z"), "1969-12-31T23:59:59.5+00:00 = -1.5");
}

TEST(DateTime, RefusesInvalidText) {
  constexpr std::string_view malformed = "not a date and time like 2024-01-15T10:30:00+01:00";
  for (const std::string_view text :
       {"", "2024", "2024-01-15", "2024-1-15T10:30:00Z", "2024-01-15 10:30:00Z", "2024-01-15t10:30:00Z",
        "2024-01-15T10:30Z", "2024-01-15T10:30:00z", "2024-01-15T10:30:00.Z", "2024-01-15T10:30:00+0100",
        "2024-01-15T10:30:00+01", "2024-01-15T10:30:00+01:00 ", "+2024-01-15T10:30:00Z", "2024-01-15T10:30:00,5Z"}) {
    EXPECT_EQ(date(text), malformed) << text;
  }
  EXPECT_EQ(date("2024-01-15T10:30:00"), "the date's offset is missing");
  EXPECT_EQ(date("2024-01-15T10:30:00.5"), "the date's offset is missing");
  EXPECT_EQ(date("2023-02-29T00:00:00Z"), "not a calendar date");
  EXPECT_EQ(date("1900-02-29T00:00:00Z"), "not a calendar date");
  EXPECT_EQ(date("2024-04-31T00:00:00Z"), "not a calendar date");
  EXPECT_EQ(date("2024-13-01T00:00:00Z"), "not a calendar date");
  EXPECT_EQ(date("2024-00-01T00:00:00Z"), "not a calendar date");
  EXPECT_EQ(date("0000-01-01T00:00:00Z"), "not a calendar date");
  EXPECT_EQ(date("2024-01-15T24:00:00Z"), "not a time of day");
  EXPECT_EQ(date("2024-01-15T23:60:00Z"), "not a time of day");
  EXPECT_EQ(date("2024-01-15T23:59:60Z"), "not a time of day");
  EXPECT_EQ(date("2024-01-15T10:30:00+14:01"), "the offset must be at most 14 hours");
  EXPECT_EQ(date("2024-01-15T10:30:00-14:01"), "the offset must be at most 14 hours");
  for (const std::string_view minutes : {"+00:60", "+01:60", "-13:99", "+14:60"}) {
    EXPECT_EQ(date("2024-01-15T10:30:00" + std::string(minutes)), "the minutes of an offset must be at most 59");
  }
  EXPECT_EQ(date("2024-01-15T10:30:00.12345678901234567Z"), "more than 16 fractional digits of a second");
}

// The instants of DateTimeOffset, which a local year from 1 to 9999 does not ensure.
TEST(DateTime, IsAnInstantFromYear1To9999) {
  constexpr std::string_view out_of_range =
      "must be between 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z in UTC (DateTimeOffset)";
  EXPECT_EQ(date("0001-01-01T14:00:00+14:00"), "0001-01-01T14:00:00+14:00 = -62135596800");
  EXPECT_EQ(date("0001-01-01T00:00:00-14:00"), "0001-01-01T00:00:00-14:00 = -62135546400");
  EXPECT_EQ(date("9999-12-31T09:59:59.9999999-14:00"), "9999-12-31T09:59:59.9999999-14:00 = 253402300799.9999999");
  EXPECT_EQ(date("9999-12-31T23:59:59.9999999Z"), "9999-12-31T23:59:59.9999999+00:00 = 253402300799.9999999");
  EXPECT_EQ(date("9999-12-31T23:59:59.99999994Z"), "9999-12-31T23:59:59.99999994+00:00 = 253402300799.99999994");
  EXPECT_EQ(date("9999-12-31T23:59:58.99999999Z"), "9999-12-31T23:59:58.99999999+00:00 = 253402300798.99999999");
  for (const std::string_view text :
       {"0001-01-01T00:00:00+00:01", "0001-01-01T13:59:59.9999999+14:00", "9999-12-31T23:59:59-00:01",
        "9999-12-31T10:00:00-14:00", "9999-12-31T23:59:59.99999999Z", "9999-12-31T23:59:59.99999995Z",
        "9999-12-31T09:59:59.9999999999999999-14:00"}) {
    EXPECT_EQ(date(text), out_of_range) << text;
  }
}

TEST(Amount, IsAnExactDecimal) {
  for (const std::string_view text :
       {"0", "150000.00", "-0.5", "12345678901234567890123456789", "0.0000000000000000000000000001",
        "79228162514264337593543950335", "-79228162514264337593543950335", "7.9228162514264337593543950335",
        "1234567890123456789012345678.9", "0.0000000000000000000000000000", "-0"}) {
    EXPECT_EQ(fault(check_amount(text)), "none") << text;
  }
  EXPECT_EQ(fault(check_amount("1e3")), "an amount must not have an exponent");
  EXPECT_EQ(fault(check_amount("1.5E-3")), "an amount must not have an exponent");
  for (const std::string& text :
       {std::string("79228162514264337593543950336"), std::string("-79228162514264337593543950336"),
        std::string("99999999999999999999999999999"), std::string("123456789012345678901234567890"),
        std::string("7.9228162514264337593543950336"), std::string("79228162514264337593543950335.0"),
        std::string("0.12345678901234567890123456789"), std::string("0.00000000000000000000000000001"),
        std::string("0.00000000000000000000000000000"), std::string(400, '9')}) {
    EXPECT_EQ(fault(check_amount(text)),
              "an amount must be a System.Decimal: at most 79228162514264337593543950335 without its sign and point, "
              "and at most 28 decimals")
        << text;
  }
}

TEST(Uuid, IsLoweredAndStrict) {
  EXPECT_EQ(check_uuid("3F2504E0-4F89-41D3-9A0C-0305E82C3301"), "3f2504e0-4f89-41d3-9a0c-0305e82c3301");
  for (const std::string_view text :
       {"", "3f2504e0", "3f2504e04f8941d39a0c0305e82c3301", "{3f2504e0-4f89-41d3-9a0c-0305e82c3301}",
        "3f2504e0-4f89-41d3-9a0c-0305e82c330g", "3f2504e0-4f89-41d3-9a0c-0305e82c33011",
        "3f2504e0_4f89-41d3-9a0c-0305e82c3301"}) {
    EXPECT_EQ(fault(check_uuid(text)), "not a UUID") << text;
  }
}

TEST(BundleId, CanBeASegmentOfAPath) {
  for (const std::string_view id : {"L-2024-0001", "é", "a b", "...", "dashboard-lists", "\\", "?#&"}) {
    EXPECT_EQ(fault(check_bundle_id(id)), "none") << id;
  }
  EXPECT_EQ(fault(check_bundle_id(std::string(255, 'a'))), "none");
  EXPECT_EQ(fault(check_bundle_id(std::string(256, 'a'))), "longer than 255 bytes");
  EXPECT_EQ(fault(check_bundle_id("")), "must not be empty");
  EXPECT_EQ(fault(check_bundle_id(".")), "must not be . or ..");
  EXPECT_EQ(fault(check_bundle_id("..")), "must not be . or ..");
  EXPECT_EQ(fault(check_bundle_id("dashboard-list")), "must not be dashboard-list");
  EXPECT_EQ(fault(check_bundle_id("Dashboard-LIST")), "must not be dashboard-list");
  using namespace std::string_view_literals;
  for (const std::string_view id : {"a/b"sv, "a%2Fb"sv, "a\nb"sv, "\0"sv, "\x7f"sv, "\u0085"sv}) {
    EXPECT_EQ(fault(check_bundle_id(id)), "must not contain /, % or a control character");
  }
}

TEST(TemplatePath, StaysBeneathItsFolder) {
  for (const std::string_view path : {"a.pdf", "modeles/a.pdf", "a/b/c", "..a", "a..", "é"}) {
    EXPECT_EQ(fault(check_template_path(path)), "none") << path;
  }
  EXPECT_EQ(fault(check_template_path("")), "must not be empty");
  EXPECT_EQ(fault(check_template_path("/etc/passwd")), "must be a path relative to the document's folder");
  for (const std::string_view path : {"..", "../a", "a/../b", "a/..", ".", "./a", "a//b", "a/"}) {
    EXPECT_EQ(fault(check_template_path(path)), "must not contain an empty, . or .. segment") << path;
  }
  EXPECT_EQ(fault(check_template_path("a\\b")), "must not contain \\ or a control character");
  EXPECT_EQ(fault(check_template_path("a\tb")), "must not contain \\ or a control character");
  EXPECT_EQ(fault(check_template_path(std::string(1025, 'a'))), "longer than 1024 bytes");
}

TEST(FileName, IsOneName) {
  EXPECT_EQ(fault(check_file_name("modèle \"1\" 100%.pdf")), "none");
  EXPECT_EQ(fault(check_file_name("")), "must not be empty");
  EXPECT_EQ(fault(check_file_name(std::string(201, 'a'))), "longer than 200 bytes");
  for (const std::string_view name : {"a/b", "a\\b", "a\nb", "\x7f"}) {
    EXPECT_EQ(fault(check_file_name(name)), "must not contain /, \\ or a control character");
  }
}

TEST(MediaType, IsOfAShortList) {
  EXPECT_EQ(fault(check_media_type("application/pdf")), "none");
  for (const std::string_view type : {"text/html", "image/svg+xml", "application/PDF", ""}) {
    EXPECT_NE(fault(check_media_type(type)), "none") << type;
  }
}

}  // namespace
}  // namespace portail
