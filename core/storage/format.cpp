#include "core/storage/format.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/storage/key.hpp"

namespace portail {
namespace {

// Returns whether `text` is a number greater than 0, in decimal without leading zeros.
constexpr bool is_number(std::string_view text) {
  return !text.empty() && text.front() != '0' && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The numbers of a version; `minor` is empty if it has none.
struct Version {
  std::string_view major, minor;
};
constexpr std::optional<Version> parse_version(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const Version version{text.substr(0, point), text.substr(std::min(point + 1, text.size()))};
  const bool has_minor = point < text.size();
  if (!is_number(version.major) || (has_minor && !is_number(version.minor))) return std::nullopt;
  return version;
}
static_assert(parse_version(current_format));

constexpr bool is_less(std::string_view number, std::string_view other) {
  return number.size() != other.size() ? number.size() < other.size() : number < other;
}

}  // namespace

FormatState format_state(Value version, std::string_view current) {
  if (!version) return FormatState::absent;
  const auto stored = parse_version(*version);
  const auto own = parse_version(current);
  if (!stored || !own) return FormatState::unknown;
  if (stored->major != own->major) return FormatState::newer;
  if (stored->minor == own->minor) return FormatState::current;
  return is_less(stored->minor, own->minor) ? FormatState::older_minor : FormatState::newer_minor;
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
    case FormatState::older_minor:
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

namespace {

// Checks the store again after a batch without any value: it may have been emptied.
class FormatCheckingSession final : public ForwardingSession {
 public:
  FormatCheckingSession(FormatCheckingStore& store, std::unique_ptr<Session> target)
      : ForwardingSession(std::move(target)), store_(store) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    co_await target().get(context, keys, values);
    if (std::ranges::any_of(values, [](const Value& value) { return value.has_value(); })) co_return;
    co_await store_.check(context, co_await read_format(context, target()));
  }

 private:
  FormatCheckingStore& store_;
};

}  // namespace

Result<void> FormatCheckingStore::check(Context& context, FormatState found) {
  const auto before = last_state_.exchange(found);
  if (has_portal(found)) had_portal_ = true;
  if (has_portal(found) ||
      (found == FormatState::absent && empty_policy_ == EmptyStorePolicy::accept && !had_portal_)) {
    if (found == FormatState::newer_minor && found != before) context.log.warn("newer store", describe(found));
    return {};
  }
  if (found != before) context.log.warn("store refused", describe(found));
  return std::unexpected(Failure::unavailable);
}

Task<std::unique_ptr<Session>> FormatCheckingStore::open(Context& context) {
  auto session = co_await target().open(context);
  const auto last = last_state_.load();
  if (!last || !has_portal(*last)) co_await check(context, co_await read_format(context, *session));
  co_return std::make_unique<FormatCheckingSession>(*this, std::move(session));
}

}  // namespace portail
