#include "core/portal/records/fields.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace portail {

struct Contract {
  std::string_view id;
  std::string_view due;
  std::string_view remark;
  std::string_view signature;
  std::string_view is_signed;
};

template <>
inline constexpr std::array fields_of<Contract>{
    Field<Contract>{"id", &Contract::id, Form::identifier},
    Field<Contract>{"echeance", &Contract::due, Form::date_time, Presence::nullable},
    Field<Contract>{"remarque", &Contract::remark, Form::text, Presence::added},
    Field<Contract>{"signature", &Contract::signature, Form::date_time, Presence::added},
    Field<Contract>{"signe", &Contract::is_signed, Form::boolean, Presence::added}};

namespace {

// Returns what is written again after `line` was read; nullopt if it is damaged.
std::optional<std::string> read_and_written(std::string_view line) {
  Contract contract;
  Fields fields(line);
  if (!read_fields(fields, contract)) return std::nullopt;
  std::string written;
  append_fields(written, contract);
  return written;
}

TEST(Fields, ThereAndBack) {
  for (const std::string_view line : {"\"C-1\"\t2024-01-15\t\"R\"\t2024-01-16\ttrue", "\"C-1\"\t-\tnull\t-\tfalse"}) {
    EXPECT_EQ(read_and_written(line), line);
  }
}

TEST(Fields, AddedFieldsAreNullInALineOfAnEarlierVersion) {
  Contract contract;
  Fields fields("\"C-1\"\t-");
  EXPECT_TRUE(read_fields(fields, contract));
  EXPECT_EQ(contract.remark, "null");
  EXPECT_EQ(contract.signature, "-");
  EXPECT_EQ(contract.is_signed, "null");
}

// An import must not find a difference in it.
TEST(Fields, ALineOfAnEarlierVersionStaysTheSame) {
  for (const std::string_view line : {"\"C-1\"\t-", "\"C-1\"\t2024-01-15\t\"R\"", "\"C-1\"\t-\tnull\t2024-01-16"}) {
    EXPECT_EQ(read_and_written(line), line);
  }
  EXPECT_EQ(read_and_written("\"C-1\"\t-\tnull\t-\tnull"), "\"C-1\"\t-");
}

TEST(Fields, DamageIsDetected) {
  for (const std::string_view line : {"", "\"C-1\"", "\"C-1\"\t", "\t-", "\"C-1\"\t-\t", "\"C-1\"\t-\t\t-",
                                      "\"C-1\"\t-\tnull\t-\tTRUE", "\"C-1\"\t-\tnull\t-\t-"}) {
    EXPECT_FALSE(read_and_written(line)) << line;
  }
}

}  // namespace
}  // namespace portail
