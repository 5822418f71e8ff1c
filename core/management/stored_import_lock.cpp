#include "core/management/stored_import_lock.hpp"

#include <string_view>
#include <utility>

#include "core/base/time.hpp"
#include "core/http/request.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/lines.hpp"
#include "core/storage/forwarding_store.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

constexpr std::int64_t second = 1'000'000;  // microseconds
constexpr std::int64_t renewal_seconds = import_lock_seconds / 3;

constexpr std::string_view program_prefix = "program-";  // of its owners

struct Owner {
  std::string token;   // unique
  std::string import;  // for messages, as a JSON string
};

// A value is `TOKEN TAB EXPIRY TAB IMPORT`, the expiry in microseconds since 1970, the import a JSON string; an empty
// one is a released lock.
std::string lock_value(const Owner& owner, Instant expiry) {
  return owner.token + '\t' + std::to_string(expiry.microseconds) + '\t' + owner.import;
}

// The import, for messages: "portail import by root, correlation id 1f…".
std::string describe(const Author& author) {
  std::string text(author.route);
  for (const std::string_view name : {author.subject, author.client, author.system_user}) {
    if (name.empty()) continue;
    text.append(" by ").append(name);
    break;
  }
  return text.append(", correlation id ").append(author.correlation_id);
}

struct HeldLock {
  Instant expiry;
  bool is_of_program = false;
  std::string import;  // empty if the value does not name it
};

// Returns the lock of this value; nullopt if it is released, or not a lock.
std::optional<HeldLock> parse_lock(std::string_view value) {
  Fields fields(value);
  const std::string_view token = fields.next_or_empty();
  const auto expiry = parse_count(fields.next_or_empty());
  if (!expiry) return std::nullopt;
  HeldLock lock{
      .expiry = {static_cast<std::int64_t>(*expiry)}, .is_of_program = token.starts_with(program_prefix), .import = {}};
  const auto import = parse_json(fields.next_or_empty());
  if (import) lock.import = string_of(import->root()).value_or("");
  return lock;
}

Instant expiry_from(Context& context) { return {context.clock.now().microseconds + import_lock_seconds * second}; }

// Renews the lock before each change that begins long after the last renewal. All changes fail after it is lost.
class RenewingStore final : public GuardedStore {
 public:
  RenewingStore(KeyValueStore& target, Owner owner, Instant expiry)
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

  Owner owner_;
  Instant expiry_;
  bool is_lost_ = false;
};

class StoredLease final : public ImportLease {
 public:
  StoredLease(KeyValueStore& target, Owner owner, Instant expiry) : store_(target, std::move(owner), expiry) {}
  KeyValueStore& store() override { return store_; }
  Task<void> release(Context& context) override { return store_.release(context); }

 private:
  RenewingStore store_;
};

// `held` is the stored value.
std::expected<void, std::string> check_lock(Context& context, const std::optional<std::string>& held,
                                            ImportHolder holder) {
  const auto lock = held ? parse_lock(*held) : std::nullopt;
  const bool is_dead = lock && lock->is_of_program && holder == ImportHolder::program;
  if (!lock || is_dead || lock->expiry.microseconds <= context.clock.now().microseconds) return {};
  return std::unexpected("another import is running, or ended without a notice: wait until it ends, at the latest " +
                         utc_text(lock->expiry) + (lock->import.empty() ? "" : "; it is " + lock->import));
}

}  // namespace

Task<std::expected<void, std::string>> check_stored_lock(Context& context, KeyValueStore& store, ImportHolder holder) {
  co_return check_lock(context, co_await read_value(context, store, import_lock_key), holder);
}

Task<std::expected<std::unique_ptr<ImportLease>, std::string>> acquire_stored_lock(Context& context,
                                                                                   KeyValueStore& store,
                                                                                   const Author& author,
                                                                                   ImportHolder holder) {
  const auto held = co_await read_value(context, store, import_lock_key);
  if (auto checked = check_lock(context, held, holder); !checked) co_return std::unexpected(checked.error());
  Owner owner;
  if (holder == ImportHolder::program) owner.token = program_prefix;
  owner.token += new_correlation_id(context.random);
  append_json_string(owner.import, describe(author));
  const Instant expiry = expiry_from(context);
  const Value expected = held ? Value(*held) : std::nullopt;
  if (!co_await store.compare_and_swap(context, import_lock_key, expected, lock_value(owner, expiry))) {
    co_return std::unexpected(std::string("another import has just begun: wait until it ends"));
  }
  co_return std::make_unique<StoredLease>(store, std::move(owner), expiry);
}

}  // namespace portail
