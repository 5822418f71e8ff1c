#include "core/http/content_disposition.hpp"

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(AttachmentHeader, NamesTheFileTwice) {
  EXPECT_EQ(attachment_header("modele.pdf"), R"(attachment; filename="modele.pdf"; filename*=UTF-8''modele.pdf)");
  EXPECT_EQ(attachment_header("modèle cni.pdf"),
            R"(attachment; filename="mod_le cni.pdf"; filename*=UTF-8''mod%C3%A8le%20cni.pdf)");
  EXPECT_EQ(attachment_header("100 € 𝄞.txt"),
            R"(attachment; filename="100 _ _.txt"; filename*=UTF-8''100%20%E2%82%AC%20%F0%9D%84%9E.txt)");
}

TEST(AttachmentHeader, ReplacesUnsafeCharacters) {
  EXPECT_EQ(attachment_header("a\"b\\c%41;d'e(f)*.pdf"),
            R"(attachment; filename="a_b_c_41;d'e(f)*.pdf"; filename*=UTF-8''a%22b%5Cc%2541%3Bd%27e%28f%29%2A.pdf)");
  EXPECT_EQ(attachment_header("a\r\nb"), R"(attachment; filename="a__b"; filename*=UTF-8''a%0D%0Ab)");
}

}  // namespace
}  // namespace portail
