#include "core/webassembly/guest_keys.hpp"

#include <utility>

#include "core/auth/key_schedule.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

constexpr std::string_view event_name = "key set";

}  // namespace

void InstalledKeys::install(Context& context, const LoadedKeySet& loaded) {
  keys_ = std::make_shared<const KeySet>(loaded.keys);
  has_unlogged_diagnostics_ = requests_ < 2;
  if (!has_unlogged_diagnostics_) log_diagnostics(context, loaded);
}

void InstalledKeys::log_diagnostics(Context& context, const LoadedKeySet& loaded) {
  has_unlogged_diagnostics_ = false;
  for (const KeyDiagnostic& refusal : loaded.refusals) context.log.warn("key refused", describe(refusal));
  for (const KeyDiagnostic& notice : loaded.notices) {
    if (!is_refused(loaded, notice.index)) context.log.warn("key", describe(notice));  // one line for each key
  }
}

Task<void> StoredKeys::prepare(Context& context, bool) {
  keys_.count_request();
  if (configured_) {
    if (!keys_.current()) {
      keys_.install(context, *configured_);
    } else if (keys_.has_unlogged_diagnostics()) {
      keys_.log_diagnostics(context, *configured_);
    }
    co_return;
  }
  const auto interval = keys_.current() ? max_read_interval : min_read_interval;
  if (!was_read_within(read_at_, interval, context.clock.now())) co_await read(context);
}

Task<SharedKeySet> StoredKeys::refreshed(Context& context, const SharedKeySet&) {
  const bool may_read = !configured_ && !was_read_within(read_at_, min_read_interval, context.clock.now());
  if (may_read) co_await read(context);
  co_return keys_.current();
}

Task<void> StoredKeys::read(Context& context) {
  if (read_at_) read_at_ = context.clock.now();
  const auto value = co_await outcome(read_value(context, store_, stored_key_set_key));
  if (!value) {
    if (!std::exchange(is_unreadable_, true)) context.log.warn(event_name, "config.jwks could not be read");
    expire_keys(context);
    co_return;
  }
  is_unreadable_ = false;
  if (*value) {
    load(context, **value);
  } else {
    if (!read_at_ || keys_.current())
      context.log.warn(event_name, "missing: store it as config.jwks, or in the setting jwks");
    keys_.reset();
    text_.reset();
  }
  expire_keys(context);
  if (!read_at_) read_at_ = context.clock.now();
}

void StoredKeys::load(Context& context, std::string_view text) {
  if (text != text_ || (is_text_valid_ && !keys_.current()) || keys_.has_unlogged_diagnostics()) {
    text_ = text;
    keys_.drop_diagnostics();
    const auto loaded = load_key_set(text);
    is_text_valid_ = loaded.has_value();
    if (!loaded) return context.log.warn(event_name, loaded.error());
    keys_.install(context, *loaded);
  }
  if (is_text_valid_) last_valid_at_ = context.clock.now();
}

void StoredKeys::expire_keys(Context& context) {
  if (!keys_.current() || context.clock.now() < after(last_valid_at_, RefreshIntervals().max_age)) return;
  context.log.warn(event_name, "too old: no key is used until config.jwks is a valid key set again");
  keys_.reset();
}

}  // namespace portail
