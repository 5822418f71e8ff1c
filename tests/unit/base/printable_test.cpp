#include "core/base/printable.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(Printable, TextStaysAsItIs) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("modèle cni.pdf, 12 €"), "modèle cni.pdf, 12 €");
}

TEST(Printable, ControlCharactersBecomeQuestionMarks) {
  EXPECT_EQ(printable("a\nb\r\tc"), "a?b??c");
  EXPECT_EQ(printable("\x1b[2J\x7f"), "?[2J?");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2J"),
            "a?2J");
}

}  // namespace
}  // namespace portail
