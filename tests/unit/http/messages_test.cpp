#include "core/http/messages.hpp"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace portail {
namespace {

TEST(Messages, AreTheContractsSentences) {
  EXPECT_EQ(message_text(Message::invalid_request, Language::english), "Your request is not valid!");
  EXPECT_EQ(message_text(Message::invalid_request, Language::french), "Votre requête n'est pas valide !");
  EXPECT_EQ(message_text(Message::no_such_entity, Language::english, {"ObjetCourrier", "42"}),
            "There is no entity ObjetCourrier with id = 42!");
  EXPECT_EQ(message_text(Message::no_such_entity, Language::french, {"ObjetCourrier", "42"}),
            "Il n'existe pas d'entité ObjetCourrier avec id = 42 !");
  EXPECT_EQ(message_text(Message::internal_error, Language::english),
            "An internal error occurred during your request!");
  EXPECT_EQ(message_text(Message::internal_error, Language::french),
            "Une erreur interne est survenue pendant votre requête !");
}

TEST(Messages, TakeTheirValuesAsTheyAre) {
  EXPECT_EQ(message_text(Message::no_such_entity, Language::english, {"Liasse", "{0}{1}"}),
            "There is no entity Liasse with id = {0}{1}!");
  EXPECT_EQ(message_text(Message::field_missing, Language::french, {"typeAffectation"}),
            "Le champ typeAffectation est obligatoire.");
}

TEST(Messages, ExistInBothLanguages) {
  for (int i = 0; i <= static_cast<int>(Message::body_too_deep); ++i) {
    const auto message = static_cast<Message>(i);
    const std::string english = message_text(message, Language::english);
    const std::string french = message_text(message, Language::french);
    EXPECT_NE(english, "") << i;
    EXPECT_NE(french, "") << i;
    EXPECT_NE(english, french) << i;
    EXPECT_EQ(english.ends_with('!'), french.ends_with(" !")) << english << french;
  }
}

TEST(Messages, HaveNamesOfTheirOwn) {
  EXPECT_EQ(name_of(Message::invalid_request), "ValidationErrorMessage");
  EXPECT_EQ(name_of(Message::mail_objects_are_synchronised), "PortailClients:ObjetsCourrierNonModifiables");
  EXPECT_EQ(name_of(Message::body_too_deep), "BodyTooDeep");
  EXPECT_EQ(message_pattern(Message::no_such_entity, Language::english), "There is no entity {0} with id = {1}!");
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last_message); ++i) names.insert(name_of(static_cast<Message>(i)));
  EXPECT_EQ(names.size(), 39U);
  EXPECT_FALSE(names.contains(""));
}

TEST(Messages, DescribeTheErrorOfABody) {
  EXPECT_EQ(body_message(JsonFault::byte_order_mark), Message::body_with_byte_order_mark);
  EXPECT_EQ(body_message(JsonFault::not_utf8), Message::body_not_utf8);
  EXPECT_EQ(body_message(JsonFault::too_deep), Message::body_too_deep);
  EXPECT_EQ(body_message(JsonFault::bad_string), Message::body_not_json);
  EXPECT_EQ(body_message(JsonFault::empty), Message::body_not_json);
}

}  // namespace
}  // namespace portail
