#include "guest/stored_keys.hpp"

#include <array>

#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::string_view event = "key set";

std::int64_t age_in_seconds(const std::optional<Instant>& instant, Instant now) {
  return instant ? (now.microseconds - instant->microseconds) / 1'000'000 : StoredKeys::interval_seconds;
}

}  // namespace

Task<void> StoredKeys::keep_current(Context& context) {
  const bool fixed = !settings_.empty() && read_at_;
  if (!fixed && age_in_seconds(read_at_, context.clock.now()) >= interval_seconds) co_await read(context);
}

Task<SharedKeySet> StoredKeys::refreshed(Context& context, const SharedKeySet&) {
  const bool may_read = settings_.empty() && age_in_seconds(read_at_, context.clock.now()) >= pause_seconds;
  if (may_read) co_await read(context);
  co_return keys_;
}

Task<void> StoredKeys::read(Context& context) {
  const bool first = !read_at_;
  // At once: whoever comes while this waits goes on with the keys that there are.
  read_at_ = context.clock.now();
  if (!settings_.empty()) {
    load(context, settings_);
    co_return;
  }
  auto opened = co_await outcome(store_.open(context));
  std::array<Value, 1> values;
  Result<void> got = opened ? Result<void>() : std::unexpected(opened.error());
  if (opened) {
    constexpr std::array keys{stored_key_set_key};
    got = co_await outcome((*opened)->get(context, keys, values));
  }
  if (!got) {
    if (first) read_at_.reset();
    context.log.warn(event, "config.jwks could not be read");
  } else if (values[0]) {
    load(context, *values[0]);
  } else {
    if (first || keys_) context.log.warn(event, "there is none: set PORTAIL_JWKS, or store config.jwks");
    keys_.reset();
    text_.clear();
  }
}

void StoredKeys::load(Context& context, std::string_view text) {
  if (keys_ && text == text_) return;
  auto loaded = load_key_set(text);
  if (!loaded) return context.log.warn(event, loaded.error());
  for (const KeyRemark& refusal : loaded->refusals) context.log.warn("key refused", describe(refusal));
  for (const KeyRemark& notice : loaded->notices) context.log.warn("key", describe(notice));
  text_ = text;
  keys_ = std::make_shared<const KeySet>(std::move(loaded->keys));
}

}  // namespace portail
