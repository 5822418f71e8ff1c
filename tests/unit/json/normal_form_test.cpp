#include "core/json/normal_form.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "core/json/utf8.hpp"

namespace portail {
namespace {

TEST(NormalForm, ComposesLettersAndMarks) {
  EXPECT_EQ(composed("Pie\u0300ce d\u2019identite\u0301, a\u0300 rec\u0327u"),
            "Pi\u00e8ce d\u2019identit\u00e9, \u00e0 re\u00e7u");
  EXPECT_EQ(composed("L'HAY\u0308"), "L'HA\u0178");
  EXPECT_EQ(composed("e\u0323\u0302"), "\u1ec7");
  EXPECT_EQ(composed("e\u0302\u0323"), "\u1ec7") << "marks in any order";
  EXPECT_EQ(composed("\u00ea\u0323"), "\u1ec7") << "composed in part";
  EXPECT_EQ(composed("a\u0327\u0301"), "\u00e1\u0327") << "a mark in between that has no composition";
  EXPECT_EQ(composed("a\u0301\u0302"), "\u00e1\u0302");
  EXPECT_EQ(composed("\u0438\u0306 \u03b1\u0301 \u0627\u0653"), "\u0439 \u03ac \u0622");
  EXPECT_EQ(composed("\u304b\u3099"), "\u304c");
  EXPECT_EQ(composed("\u1112\u1161\u11ab\u1100\u1173\u11af\u1100\u1161"), "\ud55c\uae00\uac00");
  EXPECT_EQ(composed("\u212b \u2126 \u212a \u1f71"), "\u00c5 \u03a9 K \u03ac") << "one character for another";
  EXPECT_EQ(composed("\u0958"), "\u0915\u093c") << "excluded from composition";
}

TEST(NormalForm, SortsMarksByTheirClass) {
  EXPECT_EQ(composed("\u05d1\u05bc\u05b0"), "\u05d1\u05b0\u05bc") << "Hebrew, 10 and 21";
  EXPECT_EQ(
      composed(
          "\u05d0\u05c2\u05c1\u05bf\u05bd\u05bc\u05bb\u05b9\u05b8\u05b7\u05b6\u05b5\u05b4\u05b3\u05b2\u05b1\u05b0"),
      "\u05d0\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05bb\u05bc\u05bd\u05bf\u05c1\u05c2")
      << "10 to 25";
  EXPECT_EQ(composed("\u0628\u0651\u064e"), "\u0628\u064e\u0651") << "Arabic, 30 and 33";
  EXPECT_EQ(composed("\u0628\u0670\u0652\u0651\u0650\u064f\u064e\u064d\u064c\u064b"),
            "\u0628\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0670")
      << "27 to 35";
  EXPECT_EQ(composed("\u0710\u0730\u0711"), "\u0710\u0711\u0730") << "Syriac, 36";
  EXPECT_EQ(composed("\u0c15\u0c56\u0c55"), "\u0c15\u0c55\u0c56") << "Telugu, 84 and 91";
  EXPECT_EQ(composed("\u0e01\u0e48\u0e38"), "\u0e01\u0e38\u0e48") << "Thai, 103 and 107";
  EXPECT_EQ(composed("\u0e81\u0ec8\u0eb8"), "\u0e81\u0eb8\u0ec8") << "Lao, 118 and 122";
  EXPECT_EQ(composed("\u0f40\u0f74\u0f72\u0f71"), "\u0f40\u0f71\u0f72\u0f74") << "Tibetan, 129 to 132";
  EXPECT_EQ(
      composed(
          "q\u0345\u035d\u035c\u0315\u0346\u302b\u302e\u302d\u0316\u302a\u031b\u1dce\u0321\u094d\u3099\u093c\u0334"),
      "q\u0334\u093c\u3099\u094d\u0321\u1dce\u031b\u302a\u0316\u302d\u302e\u302b\u0346\u0315\u035c\u035d\u0345")
      << "1 to 9, and 202 to 240";
}

TEST(NormalForm, SortsManyMarks) {
  std::string marks;
  std::string below;
  std::string above;
  for (int i = 0; i < 16'384; ++i) {
    marks += "\u0301\u0323";
    below += "\u0323";
    above += "\u0301";
  }
  EXPECT_EQ(composed(marks), below + above);
}

TEST(NormalForm, Decomposes) {
  EXPECT_EQ(decomposed("\u1ec7 \u00c5\u212b \ud55c\uac00 CNI"),
            "e\u0323\u0302 A\u030aA\u030a \u1112\u1161\u11ab\u1100\u1161 CNI");
  EXPECT_EQ(decomposed("\u00e9\xcc"), "\u00e9\xcc");
}

TEST(NormalForm, KeepsOtherText) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv, "CNI"sv, "identit\u00e9 \u0153uvre 5 \u20ac \u2013 \u2026"sv, "\u1ec7\uac01\u4e2d\U0001f4c4"sv, "\0e\0"sv,
        "\u0301e"sv, "\uffff\u0301"sv, "e\u0301\xff"sv, "e\u0301\xcc"sv}) {
    EXPECT_EQ(composed(text), text);
  }
}

// Returns the FNV-1a hash of the forms of all texts that `text_of` makes of one character, each with a line feed.
template <class TextOf>
std::uint64_t hash_of_forms(TextOf text_of) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::uint32_t point = 1; point < 0x10000; ++point) {
    if (point >= 0xd800 && point < 0xe000) continue;
    std::string character;
    append_utf8(character, point);
    for (const char c : composed(text_of(character)) + "\n") {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
  }
  return hash;
}

// The hashes are of unicodedata.normalize("NFC", …) in Python 3.11, without its CJK compatibility ideographs.
TEST(NormalForm, OfEachCharacter) {
  EXPECT_EQ(hash_of_forms([](const std::string& character) { return character; }), 0xfac9fb9e585a1a33U);
  EXPECT_EQ(hash_of_forms([](const std::string& character) { return "a" + character + "\u0301\u0323"; }),
            0x996dda193631aaabU);
}

}  // namespace
}  // namespace portail
