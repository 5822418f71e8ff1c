#include "core/audit/audit_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <span>
#include <string_view>

#include "core/audit/record_hash.hpp"
#include "core/base/text.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

AuditLink new_link(Context& context, std::optional<AuditName> previous) {
  std::array<std::byte, 16> salt;
  context.random.fill(salt);
  return {.previous = previous, .previous_hash = {}, .salt = lower_hex(salt)};
}

}  // namespace

AuditLink link_to(Context& context, AuditName previous, std::string_view record) {
  AuditLink link = new_link(context, previous);
  if (const auto hash = audit_record_hash(audit_key(previous), record)) link.previous_hash = lower_hex(*hash);
  return link;
}

Task<AuditLink> read_link(Context& context, Session& session, std::optional<AuditName> previous) {
  if (!previous) co_return new_link(context, previous);
  const std::string key = audit_key(*previous);
  const std::string_view name = key;
  Value record;
  co_await session.get(context, std::span(&name, 1), std::span(&record, 1));
  co_return link_to(context, *previous, record.value_or(""));
}

Task<AuditLink> read_link(Context& context, KeyValueStore& store, std::optional<AuditName> previous) {
  if (!previous) co_return new_link(context, previous);
  const auto session = co_await store.open(context);
  co_return co_await read_link(context, *session, previous);
}

namespace {

constexpr std::string_view pruned_prefix = "pruned\t";
constexpr std::size_t time_digits = 16;

Result<AuditState> parse(std::string_view value) {
  const auto audited = read_audited_value(value);
  if (!audited) return std::unexpected(audited.error());
  AuditState state{.last_call = audited->last, .pruned_before = std::nullopt};
  const std::string_view line = audited->content;
  if (line.empty()) return state;
  const char* const digits = line.data() + pruned_prefix.size();
  if (!line.starts_with(pruned_prefix) || line.size() != pruned_prefix.size() + time_digits + 1 ||
      !line.ends_with('\n'))
    return std::unexpected(Failure::corrupt);
  Instant before;
  if (std::from_chars(digits, digits + time_digits, before.microseconds).ptr != digits + time_digits)
    return std::unexpected(Failure::corrupt);
  state.pruned_before = before;
  return state;
}

std::string text_of(const AuditState& state) {
  std::string text;
  if (state.last_call) text = audit_line(*state.last_call);
  if (state.pruned_before) {
    const std::string digits = std::to_string(state.pruned_before->microseconds);
    text.append(pruned_prefix).append(time_digits - digits.size(), '0').append(digits).append("\n");
  }
  return text;
}

constexpr int max_swaps = 1000;  // to swap the value

struct StoredState {
  std::optional<std::string> value;
  AuditState state;
};

Task<StoredState> read_stored_state(Context& context, KeyValueStore& store) {
  StoredState stored{.value = co_await read_value(context, store, audit_state_key), .state = {}};
  stored.state = co_await parse(stored.value.value_or(""));
  co_return stored;
}

}  // namespace

Task<AuditState> read_audit_state(Context& context, KeyValueStore& store) {
  co_return (co_await read_stored_state(context, store)).state;
}

Task<void> append_call_record(Context& context, KeyValueStore& store,
                              std::function<std::string(const AuditLink&)> make_record,
                              std::optional<AuditName> older) {
  std::string lost_key;  // of an attempt that lost its race
  for (int attempt = 0; attempt < max_swaps; ++attempt) {
    StoredState stored = co_await read_stored_state(context, store);
    const AuditLink link = co_await read_link(context, store, stored.state.last_call);
    const AuditName name = next_audit_name(context, std::max(stored.state.last_call, older));
    const std::string key = audit_key(name);
    const std::string record = make_record(link);
    const std::array changes{Change{key, record}, Change{lost_key, std::nullopt}};
    co_await store.write(context, std::span(changes).first(lost_key.empty() ? 1 : 2));
    lost_key = key;
    stored.state.last_call = name;
    if (co_await store.compare_and_swap(context, audit_state_key, stored.value, text_of(stored.state))) co_return;
  }
  co_await std::unexpected(Failure::unavailable);
}

Task<void> record_pruning(Context& context, KeyValueStore& store, Instant before) {
  for (int attempt = 0; attempt < max_swaps; ++attempt) {
    StoredState stored = co_await read_stored_state(context, store);
    if (stored.state.pruned_before >= before) co_return;
    stored.state.pruned_before = before;
    if (co_await store.compare_and_swap(context, audit_state_key, stored.value, text_of(stored.state))) co_return;
  }
  co_await std::unexpected(Failure::unavailable);
}

}  // namespace portail
