#include "core/guest/stored_import_lock.hpp"

#include <string_view>
#include <utility>

#include "core/base/utc_text.hpp"
#include "core/guest/read_value.hpp"
#include "core/http/correlation.hpp"
#include "core/portal/records/fields.hpp"
#include "core/storage/guarded_store.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::int64_t second = 1'000'000;  // microseconds
constexpr std::int64_t renewal_seconds = import_lock_seconds / 3;

// A value is `OWNER TAB EXPIRY`, the expiry in microseconds since 1970; an empty one is a released lock.
std::string lock_value(std::string_view owner, Instant expiry) {
  return std::string(owner) + '\t' + std::to_string(expiry.microseconds);
}

// Returns when a lock of this value expires; nullopt if it is released, or not a lock.
std::optional<Instant> expiry_of(std::string_view value) {
  Fields fields(value);
  fields.next_or_empty();
  const auto expiry = parse_count(fields.next_or_empty());
  if (!expiry) return std::nullopt;
  return Instant{static_cast<std::int64_t>(*expiry)};
}

Instant expiry_from(Context& context) { return {context.clock.now().microseconds + import_lock_seconds * second}; }

// Renews the lock before each change that begins long after the last renewal. All changes fail after it is lost.
class RenewingStore final : public GuardedStore {
 public:
  RenewingStore(KeyValueStore& target, std::string owner, Instant expiry)
      : GuardedStore(target), owner_(std::move(owner)), expiry_(expiry) {}

  Task<void> release(Context& context) {
    const std::string value = lock_value(owner_, expiry_);
    co_await target().compare_and_swap(context, import_lock_key, value, "");
  }

 private:
  Task<void> before_change(Context& context) override {
    const std::int64_t remaining = expiry_.microseconds - context.clock.now().microseconds;
    if (!is_lost_ && remaining > (import_lock_seconds - renewal_seconds) * second) co_return;
    const Instant expiry = expiry_from(context);
    const std::string before = lock_value(owner_, expiry_);
    if (!is_lost_ && co_await target().compare_and_swap(context, import_lock_key, before, lock_value(owner_, expiry))) {
      expiry_ = expiry;
      co_return;
    }
    is_lost_ = true;
    context.log.warn("the lock of the import was lost, and another one may be running", "");
    co_await std::unexpected(Failure::unavailable);
  }

  std::string owner_;
  Instant expiry_;
  bool is_lost_ = false;
};

class StoredLease final : public ImportLease {
 public:
  StoredLease(KeyValueStore& target, std::string owner, Instant expiry) : store_(target, std::move(owner), expiry) {}
  KeyValueStore& store() override { return store_; }
  Task<void> release(Context& context) override { return store_.release(context); }

 private:
  RenewingStore store_;
};

}  // namespace

Task<std::expected<std::unique_ptr<ImportLease>, std::string>> acquire_stored_lock(Context& context,
                                                                                   KeyValueStore& store) {
  const auto held = co_await read_value(context, store, import_lock_key);
  const auto held_until = held ? expiry_of(*held) : std::nullopt;
  if (held_until && held_until->microseconds > context.clock.now().microseconds) {
    co_return std::unexpected(
        "another import is running, or ended without a notice: wait until it ends, at the latest " +
        utc_text(*held_until));
  }
  std::string owner = new_correlation_id(context.random);
  const Instant expiry = expiry_from(context);
  const Value expected = held ? Value(*held) : std::nullopt;
  if (!co_await store.compare_and_swap(context, import_lock_key, expected, lock_value(owner, expiry))) {
    co_return std::unexpected(std::string("another import has just begun: wait until it ends"));
  }
  co_return std::make_unique<StoredLease>(store, std::move(owner), expiry);
}

}  // namespace portail
