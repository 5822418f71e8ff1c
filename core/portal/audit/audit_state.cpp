#include "core/portal/audit/audit_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>

#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
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

// Reads, awaits edit(AuditState&) -> Task<void>, and swaps; retries after a lost race.
template <class Edit>
Task<void> swap_state(Context& context, KeyValueStore& store, Edit edit) {
  constexpr int max_attempts = 1000;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const auto value = co_await read_value(context, store, audit_state_key);
    AuditState state = co_await parse(value.value_or(""));
    co_await edit(state);
    const std::string desired = text_of(state);
    if (desired == value.value_or("")) co_return;
    if (co_await store.compare_and_swap(context, audit_state_key, value, desired)) co_return;
  }
  co_await std::unexpected(Failure::unavailable);
}

}  // namespace

Task<AuditState> read_audit_state(Context& context, KeyValueStore& store) {
  const auto value = co_await read_value(context, store, audit_state_key);
  co_return co_await parse(value.value_or(""));
}

Task<void> append_call_record(Context& context, KeyValueStore& store,
                              std::function<std::string(const AuditLink&)> make_record,
                              std::optional<AuditName> older) {
  std::string lost_key;  // of an attempt that lost its race
  co_await swap_state(context, store, [&](AuditState& state) -> Task<void> {
    const AuditLink link = co_await read_link(context, store, state.last_call);
    const AuditName name = next_audit_name(context, std::max(state.last_call, older));
    const std::string key = audit_key(name);
    const std::string record = make_record(link);
    const std::array changes{Change{key, record}, Change{lost_key, std::nullopt}};
    co_await store.write(context, std::span(changes).first(lost_key.empty() ? 1 : 2));
    lost_key = key;
    state.last_call = name;
  });
}

Task<void> record_pruning(Context& context, KeyValueStore& store, Instant before) {
  co_await swap_state(context, store, [before](AuditState& state) -> Task<void> {
    if (!state.pruned_before || *state.pruned_before < before) state.pruned_before = before;
    co_return;
  });
}

}  // namespace portail
