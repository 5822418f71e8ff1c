// The hash of an audit record, and the erasure of its personal strings.
#include "core/audit/record_hash.hpp"

#include <string>

#include <gtest/gtest.h>

#include "core/base/text.hpp"

namespace portail {
namespace {

constexpr std::string_view key = "audit.0000000000000001.0000000000000002";
constexpr std::string_view record =
    R"({"action":"grants","subject":"alice","client":null,"previous":null,"previousHash":null,"salt":"00ff",)"
    R"("added":[{"permission":"P","utilisateur":"bob"},{"permission":"P","utilisateur":"al\"ice"}]})";

std::string hash_of(std::string_view text) {
  const auto hash = audit_record_hash(key, text);
  return hash ? lower_hex(*hash) : "";
}

std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Replaces the string `json`.
StringReplacement of(std::string json, std::string replacement) {
  return [json = std::move(json), replacement = std::move(replacement)](
             std::string_view, std::string_view found) -> std::optional<std::string> {
    return found == json ? std::optional(replacement) : std::nullopt;
  };
}

// The expected value was computed by another implementation of the definition (Python's hashlib and hmac).
TEST(RecordHash, IsThatOfItsDefinition) {
  EXPECT_EQ(hash_of(record), "5722cc904919e3d75b35904b51e9f69a88b514f6aeaf007d204de410b5d72a25");
}

TEST(RecordHash, CoversEachByteAndTheKey) {
  std::size_t changed = 0;
  for (std::size_t i = 0; i < record.size(); ++i) {
    std::string other(record);
    other[i] = other[i] == 'x' ? 'y' : 'x';
    EXPECT_NE(hash_of(other), hash_of(record)) << i;
    ++changed;
  }
  EXPECT_EQ(changed, record.size());
  EXPECT_NE(audit_record_hash("audit.0000000000000001.0000000000000003", record), audit_record_hash(key, record));
}

TEST(RecordHash, NeedsASalt) {
  EXPECT_EQ(hash_of(R"({"action":"update","subject":"alice","previous":null})"), "");
  EXPECT_EQ(hash_of(R"({"salt":1})"), "");
  EXPECT_EQ(hash_of(""), "");
  EXPECT_EQ(hash_of(R"({"subject":"\"salt\":\"a\""})"), "");
  // Not JSON: a name in a value, and one after a value.
  EXPECT_EQ(hash_of(R"({"subject":"\"salt":"00ff"})"), "");
  EXPECT_EQ(hash_of(R"({"subject":"salt":"00ff"})"), "");
  std::string damaged = R"({"subject":"\"salt":"00ff"})";
  EXPECT_TRUE(erase_personal_strings(damaged, of(R"("\"salt")", R"("e")")));
  EXPECT_EQ(damaged, R"({"subject":"e":"00ff"})");
}

TEST(RecordHash, OfDamagedTextsIsAnotherOne) {
  for (std::size_t size = 0; size < record.size(); ++size) EXPECT_NE(hash_of(record.substr(0, size)), hash_of(record));
  for (const std::string_view salt : {"[", "[]", "[\"", "[\"=\"", "[\"a\",", "\""}) {
    EXPECT_NE(hash_of(with(std::string(record), R"("00ff")", salt)), hash_of(record)) << salt;
  }
}

TEST(RecordHash, StaysTheSameIfAStringIsErased) {
  std::string erased(record);
  EXPECT_TRUE(erase_personal_strings(erased, of(R"("alice")", R"("erased-1")")));
  EXPECT_FALSE(erased.contains("alice"));
  EXPECT_FALSE(erased.contains("00ff"));
  EXPECT_TRUE(erased.contains(R"("subject":"erased-1")"));
  EXPECT_EQ(hash_of(erased), hash_of(record));

  // Strings that were not erased are verified as before.
  EXPECT_NE(hash_of(with(erased, "bob", "eve")), hash_of(record));
  // Another person of the same record, later.
  EXPECT_TRUE(erase_personal_strings(erased, of(R"("al\"ice")", R"("erased-2")")));
  EXPECT_EQ(hash_of(erased), hash_of(record));
  EXPECT_NE(hash_of(with(erased, "bob", "eve")), hash_of(record));
  EXPECT_TRUE(erase_personal_strings(erased, of(R"("bob")", R"("erased-3")")));
  EXPECT_EQ(hash_of(erased), hash_of(record));
  EXPECT_FALSE(erase_personal_strings(erased, of(R"("bob")", R"("erased-3")")));
}

TEST(RecordHash, TheSaltHasOneOfTwoForms) {
  const std::string digits = "0123456789abcdef0123456789abcdef";
  std::string whole = with(std::string(record), "00ff", digits);
  EXPECT_EQ(salt_form(R"({"subject":"alice"})"), SaltForm::absent);
  EXPECT_EQ(salt_form(R"({"salt":null})"), SaltForm::absent);
  EXPECT_EQ(salt_form(whole), SaltForm::whole);
  for (const std::string& other : {digits.substr(1), digits + "0", "A" + digits.substr(1), std::string()}) {
    EXPECT_EQ(salt_form(with(whole, digits, other)), SaltForm::invalid) << other;
  }

  std::string erased = whole;
  ASSERT_TRUE(erase_personal_strings(erased, of(R"("alice")", R"("e")")));
  EXPECT_EQ(salt_form(erased), SaltForm::erased);
  const std::string list = erased.substr(erased.find('['), erased.find(']') - erased.find('[') + 1);
  const std::string element = '"' + std::string(64, 'a') + '"';
  const std::string erased_element = "\"=" + std::string(64, 'a') + '"';
  std::size_t checked = 0;
  for (const std::string& other :
       {std::string("[]"), '[' + element + ',' + element + ']', '[' + element + ',' + element + ',' + element + ']',
        '[' + erased_element + ',' + element + ']', list.substr(0, list.size() - 1) + ',' + element + ']',
        '[' + erased_element + ",\"=null\"," + element + ']', '[' + erased_element + ",\"\"," + element + ']'}) {
    EXPECT_EQ(salt_form(with(erased, list, other)), SaltForm::invalid) << other;
    ++checked;
  }
  EXPECT_EQ(checked, 7U);
}

TEST(RecordHash, OfAnErasedStringDoesNotHelpToGuessIt) {
  std::string one(record);
  std::string other = with(std::string(record), "00ff", "00fe");
  ASSERT_TRUE(erase_personal_strings(one, of(R"("alice")", R"("e")")));
  ASSERT_TRUE(erase_personal_strings(other, of(R"("alice")", R"("e")")));
  const auto commitment = [](const std::string& text) { return text.substr(text.find("\"=") + 2, 64); };
  EXPECT_NE(commitment(one), commitment(other));
}

TEST(RecordHash, WithoutASaltARecordCanBeErasedToo) {
  std::string old = R"({"subject":"alice","query":"a=b","previous":null})";
  EXPECT_TRUE(erase_personal_strings(old, of(R"("alice")", R"("e")")));
  EXPECT_EQ(old, R"({"subject":"e","query":"a=b","previous":null})");
}

TEST(RecordHash, OfAnImportIsAlsoThatWithoutItsOutcome) {
  EXPECT_EQ(without_outcome(R"({"document":"d","finished":"2026","sections":{"a":1},"deposits":3})"),
            R"({"document":"d","finished":null,"sections":null,"deposits":null})");
  EXPECT_FALSE(without_outcome(R"({"document":"d","finished":null,"sections":null,"deposits":null})"));
  EXPECT_FALSE(without_outcome(record));
}

}  // namespace
}  // namespace portail
