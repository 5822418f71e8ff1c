// If-Match and If-None-Match: the first line is the content of an entity tag, the rest is the header's value.
#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.hpp"
#include "core/http/conditional.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace {

using namespace portail;

bool allowed(std::string_view value, std::string_view tag) {
  const std::array headers{HeaderView{.name = "If-Match", .value = value}};
  return failed_condition({.method = "PUT", .target = "/", .headers = headers}, tag) == FailedCondition::none;
}

bool named(std::string_view value, std::string_view tag) {
  const std::array headers{HeaderView{.name = "If-None-Match", .value = value}};
  return failed_condition({.method = "GET", .target = "/", .headers = headers}, tag) == FailedCondition::if_none_match;
}

}  // namespace

void fuzz(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  std::string inside(input.substr(0, end));
  std::erase_if(
      inside, [](char c) { return !is_ascii_digit(c) && !is_ascii_letter(c); });  // the characters of the portal's tags
  const std::string tag = '"' + inside + '"';
  const std::string_view value = trimmed(input.substr(std::min(end + 1, input.size())));

  if (allowed(value, tag)) check(named(value, tag), "what compares strongly compares weakly");
  if (named(value, tag) && value != "*") check(value.contains('"' + inside), "a tag is named by its own text only");
  check(allowed(tag, tag) && named(tag, tag), "a tag names itself");
  check(!allowed("W/" + tag, tag) && named("W/" + tag, tag), "a weak tag is weak");
  for (const std::string_view coding : {"-gzip", "-br", "-zstd"}) {
    const std::string coded = '"' + inside + std::string(coding) + '"';
    check(allowed(coded, tag) && named(coded, tag), "a compressed answer's tag names the tag");
  }
  if (named(value, tag) && value != "*") {
    const std::string longer = "\"another\", " + std::string(value);
    check(named(longer, tag), "a tag in front changes nothing");
  }
}
