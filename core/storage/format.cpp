#include "core/storage/format.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "core/storage/key.hpp"

namespace portail {
namespace {

// Returns whether `version` is a number greater than 1, in decimal without leading zeros.
bool is_later(std::string_view version) {
  return !version.empty() && version.front() != '0' && version != current_format &&
         std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Task<FormatState> read_format(Context& context, Session& session) {
  const std::string_view key = format_key;
  Value version;
  co_await session.get(context, std::span(&key, 1), std::span(&version, 1));
  if (!version) co_return FormatState::absent;
  if (*version == current_format) co_return FormatState::current;
  co_return is_later(*version) ? FormatState::newer : FormatState::unknown;
}

std::string_view describe(FormatState state) {
  switch (state) {
    case FormatState::absent:
      return "the store is empty: import a document first";
    case FormatState::current:
      return "the store has layout 1";
    case FormatState::newer:
      return "the store was written by a newer version of portail: use that version, or import into a new store";
    case FormatState::unknown:
      break;
  }
  return "the store contains other data than portail's: name another store, or import into a new one";
}

}  // namespace portail
