#include "core/guest/stored_keys.hpp"

#include <array>

#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::string_view event = "key set";

}  // namespace

Task<void> StoredKeys::keep_current(Context& context) {
  if (requests_ < 2) ++requests_;
  if (given_) {
    if (!keys_) {
      take(context, *given_);
    } else if (untold_) {
      tell(context, *given_);
    }
    co_return;
  }
  const std::int64_t interval = keys_ ? interval_seconds : pause_seconds;
  if (!read_within(interval, context.clock.now())) co_await read(context);
}

Task<SharedKeySet> StoredKeys::refreshed(Context& context, const SharedKeySet&) {
  const bool may_read = !given_ && !read_within(pause_seconds, context.clock.now());
  if (may_read) co_await read(context);
  co_return keys_;
}

// A clock that was ahead, and no longer is, does not keep the keys.
bool StoredKeys::read_within(std::int64_t seconds, Instant now) const {
  if (!read_at_) return false;
  const std::int64_t age = now.microseconds - read_at_->microseconds;
  return age >= 0 && age < seconds * 1'000'000;
}

Task<void> StoredKeys::read(Context& context) {
  if (read_at_) read_at_ = context.clock.now();
  auto opened = co_await outcome(store_.open(context));
  std::array<Value, 1> values;
  Result<void> got = opened ? Result<void>() : std::unexpected(opened.error());
  if (opened) {
    constexpr std::array keys{stored_key_set_key};
    got = co_await outcome((*opened)->get(context, keys, values));
  }
  if (!got) {
    context.log.warn(event, "config.jwks could not be read");
    forget_old_keys(context);
    co_return;
  }
  if (values[0]) {
    load(context, *values[0]);
  } else {
    if (!read_at_ || keys_) context.log.warn(event, "there is none: set PORTAIL_JWKS, or store config.jwks");
    keys_.reset();
    text_.reset();
  }
  forget_old_keys(context);
  if (!read_at_) read_at_ = context.clock.now();
}

void StoredKeys::load(Context& context, std::string_view text) {
  if (text != text_ || (usable_ && !keys_) || untold_) {
    text_ = text;
    untold_ = false;
    const auto loaded = load_key_set(text);
    usable_ = loaded.has_value();
    if (!loaded) return context.log.warn(event, loaded.error());
    take(context, *loaded);
  }
  if (usable_) good_at_ = context.clock.now();
}

void StoredKeys::forget_old_keys(Context& context) {
  const std::int64_t age = context.clock.now().microseconds - good_at_.microseconds;
  if (!keys_ || age < longest_age_seconds * 1'000'000) return;
  context.log.warn(event, "too old: no key is used until config.jwks is one again");
  keys_.reset();
}

void StoredKeys::take(Context& context, const LoadedKeySet& loaded) {
  keys_ = std::make_shared<const KeySet>(loaded.keys);
  untold_ = requests_ < 2;
  if (!untold_) tell(context, loaded);
}

void StoredKeys::tell(Context& context, const LoadedKeySet& loaded) {
  untold_ = false;
  for (const KeyRemark& refusal : loaded.refusals) context.log.warn("key refused", describe(refusal));
  for (const KeyRemark& notice : loaded.notices) context.log.warn("key", describe(notice));
}

}  // namespace portail
