#include "core/storage/format.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "core/base/text.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// Returns whether `text` is a number greater than 0, in decimal without leading zeros.
bool is_number(std::string_view text) {
  return !text.empty() && text.front() != '0' && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

FormatState format_state(Value version) {
  if (!version) return FormatState::absent;
  if (*version == current_format) return FormatState::current;
  std::string_view minor = *version;
  const std::string_view major = take_until(minor, '.');
  const bool has_minor = major.size() < version->size();
  if (!is_number(major) || (has_minor && !is_number(minor))) return FormatState::unknown;
  return major == current_format ? FormatState::newer_minor : FormatState::newer;
}

Task<FormatState> read_format(Context& context, Session& session) {
  const std::string_view key = format_key;
  Value version;
  co_await session.get(context, std::span(&key, 1), std::span(&version, 1));
  co_return format_state(version);
}

Task<FormatState> read_format(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  co_return co_await read_format(context, *session);
}

std::string_view describe(FormatState state) {
  switch (state) {
    case FormatState::absent:
      return "the store is empty: import a document first";
    case FormatState::current:
      return "the store has layout 1";
    case FormatState::newer_minor:
      return "the store was written by a newer version of portail: this version ignores its new fields and grants, and "
             "cannot import into it";
    case FormatState::newer:
      return "the store was written by a newer version of portail: use that version, or import into a new store";
    case FormatState::unknown:
      break;
  }
  return "the store contains other data than portail's: name another store, or import into a new one";
}

}  // namespace portail
