#include "tests/contract/support/expectations.hpp"

#include <algorithm>
#include <ostream>

namespace portail::contract {
namespace {

// Checks ABP's five members in order, nulls included. The text of `message` may be unspecified: the members after it
// mark its end.
void expect_error_body(const Reply& reply, const ExpectedError& expected) {
  const std::string head =
      R"({"error":{"code":)" + (expected.code ? '"' + *expected.code + '"' : "null") + R"(,"message":")";
  const std::string tail = R"(","details":null,"data":)" + expected.data + R"(,"validationErrors":null}})";
  if (expected.message) {
    EXPECT_EQ(reply.body, head + *expected.message + tail);
    return;
  }
  EXPECT_TRUE(reply.body.starts_with(head) && reply.body.ends_with(tail)) << describe(reply);
  EXPECT_GT(reply.body.size(), head.size() + tail.size()) << "the message is empty";
  EXPECT_TRUE(at(parsed(reply), {"error", "message"}).is<std::string>()) << describe(reply);
}

void expect_error_headers(const Reply& reply, int status, std::string_view language) {
  EXPECT_EQ(reply.status, status) << describe(reply);
  EXPECT_EQ(reply.header("Content-Type"), json_content_type);
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
  EXPECT_EQ(reply.header("Content-Language"), language);
  EXPECT_EQ(reply.header("_AbpErrorFormat"), status == 401 || status == 403 ? "" : "true") << describe(reply);
  EXPECT_FALSE(reply.has("Location"));
  EXPECT_FALSE(reply.has("ETag"));
  expect_common_headers(reply);
}

// Checks the members of a validation error and returns each error's members, joined by commas.
std::vector<std::string> validation_members(const Reply& reply, std::string_view language) {
  expect_error_headers(reply, 400, language);
  const std::string message = language == "fr" ? "Votre requête n'est pas valide !" : "Your request is not valid!";
  EXPECT_TRUE(reply.body.starts_with(R"({"error":{"code":null,"message":")" + message + R"(","details":")"))
      << describe(reply);
  const picojson::value body = parsed(reply);
  const picojson::value errors = at(body, {"error", "validationErrors"});
  const picojson::value details = at(body, {"error", "details"});
  EXPECT_TRUE(errors.is<picojson::array>() && details.is<std::string>()) << describe(reply);
  EXPECT_TRUE(at(body, {"error", "data"}).is<picojson::object>()) << describe(reply);
  if (!errors.is<picojson::array>() || !details.is<std::string>()) return {};

  std::vector<std::string> all;
  const std::string& lines = details.get<std::string>();
  for (const picojson::value& each : errors.get<picojson::array>()) {
    const picojson::value sentence = at(each, {"message"});
    const picojson::value members = at(each, {"members"});
    EXPECT_TRUE(sentence.is<std::string>() && members.is<picojson::array>()) << describe(reply);
    if (!sentence.is<std::string>() || !members.is<picojson::array>()) continue;
    EXPECT_FALSE(sentence.get<std::string>().empty());
    EXPECT_NE(lines.find(sentence.get<std::string>()), std::string::npos)
        << "details do not list: " << each.serialize();
    std::string joined;
    for (const picojson::value& member : members.get<picojson::array>())
      joined += (joined.empty() ? "" : ",") + member.to_str();
    all.push_back(joined);
  }
  EXPECT_GE(static_cast<std::size_t>(std::ranges::count(lines, '\n')) + 1, all.size()) << "one error a line";
  std::ranges::sort(all);
  return all;
}

}  // namespace

std::string describe(const Reply& reply) {
  std::string text = "answer: " + std::to_string(reply.status) + "\n";
  for (const Header& each : reply.headers) text += each.name + ": " + each.value + "\n";
  return text + "\n" + reply.body.substr(0, 2000);
}

void PrintTo(const Reply& reply, std::ostream* out) { *out << describe(reply); }

picojson::value parsed(const Reply& reply) {
  picojson::value value;
  const std::string error = picojson::parse(value, reply.body);
  EXPECT_EQ(error, "") << describe(reply);
  return value;
}

picojson::value at(const picojson::value& value, const std::vector<std::string>& path) {
  picojson::value found = value;
  for (const std::string& name : path) {
    if (!found.is<picojson::object>()) return {};
    const picojson::value next = found.get(name);  // a copy, before its parent is destroyed
    found = next;
  }
  return found;
}

void expect_common_headers(const Reply& reply) {
  EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff") << describe(reply);
  EXPECT_EQ(reply.header("Vary"), vary_everything) << describe(reply);
  EXPECT_EQ(reply.count("X-Correlation-Id"), 1U) << describe(reply);
}

void expect_json(const Reply& reply, std::string_view body) {
  EXPECT_EQ(reply.status, 200) << describe(reply);
  EXPECT_EQ(reply.header("Content-Type"), json_content_type);
  EXPECT_EQ(reply.body, body);
  EXPECT_FALSE(reply.has("_AbpErrorFormat"));
  expect_common_headers(reply);
}

void expect_error(const Reply& reply, int status, const ExpectedError& expected) {
  expect_error_headers(reply, status, expected.language);
  expect_error_body(reply, expected);
}

void expect_validation_error(const Reply& reply, std::vector<std::string> members, std::string_view language) {
  std::ranges::sort(members);
  EXPECT_EQ(validation_members(reply, language), members) << describe(reply);
}

void expect_any_validation_error(const Reply& reply) {
  EXPECT_FALSE(validation_members(reply, "en").empty()) << describe(reply);
}

void expect_anonymous_refused(const Reply& reply) {
  expect_error(reply, 401);
  EXPECT_EQ(reply.header("WWW-Authenticate"), "Bearer");
}

std::string expect_token_refused(const Reply& reply) {
  expect_error(reply, 401);
  const std::string challenge = reply.header("WWW-Authenticate");
  const std::string head = R"(Bearer error="invalid_token", error_description=")";
  EXPECT_TRUE(challenge.starts_with(head) && challenge.ends_with('"') && challenge.size() > head.size() + 1)
      << describe(reply);
  if (!challenge.starts_with(head)) return {};
  return challenge.substr(head.size(), challenge.size() - head.size() - 1);
}

}  // namespace portail::contract
