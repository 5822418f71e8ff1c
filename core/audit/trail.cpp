#include "core/audit/trail.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/audit/audit_state.hpp"
#include "core/audit/verification.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

class ReachableRecordVisitor final : public Visitor {
 public:
  ReachableRecordVisitor(std::vector<AuditName> names, AuditVisitor& visitor)
      : names_(std::move(names)), visitor_(visitor) {}
  bool visit(std::string_view key, std::string_view value) override {
    const auto name = audit_name_of(key);
    if (!name || !std::ranges::binary_search(names_, *name)) return true;
    return visitor_.visit(*name, value);
  }

 private:
  std::vector<AuditName> names_;
  AuditVisitor& visitor_;
};

class ExpiredKeyCollector final : public Visitor {
 public:
  explicit ExpiredKeyCollector(Instant before, std::size_t max = 1'000) : before_(before), max_(max) {}
  bool visit(std::string_view key, std::string_view) override {
    const auto name = audit_name_of(key);
    if (!name) return true;
    if (name->time >= before_.microseconds) return false;
    keys.emplace_back(key);
    return keys.size() < max_;
  }

  std::vector<std::string> keys;

 private:
  Instant before_;
  std::size_t max_;
};

}  // namespace

Task<NamedRecords> read_named_records(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  constexpr std::array keys{configuration_key, grants_key};
  std::array<Value, keys.size()> values;
  co_await session->get(context, keys, values);
  NamedRecords last;
  for (std::size_t i = 0; i < keys.size(); ++i) last[i] = (co_await read_audited_value(values[i].value_or(""))).last;
  co_return last;
}

Task<AuditNames> reachable_audit_records(Context& context, KeyValueStore& store) {
  AuditVerification verified = co_await verify_audit(context, store, {});
  if (!verified.is_readable) co_await std::unexpected(Failure::corrupt);
  co_return AuditNames{.names = std::move(verified.records), .hidden = verified.hidden};
}

Task<std::uint64_t> read_audit_trail(Context& context, KeyValueStore& store, AuditVisitor& visitor) {
  AuditNames reachable = co_await reachable_audit_records(context, store);
  ReachableRecordVisitor records(std::move(reachable.names), visitor);
  co_await store.scan(context, audit_prefix, records);
  co_return reachable.hidden;
}

Task<std::uint64_t> prune_audit_trail(Context& context, KeyValueStore& store, Instant before) {
  std::uint64_t removed = 0;
  for (;;) {
    ExpiredKeyCollector old(before);
    co_await store.scan(context, audit_prefix, old);
    if (old.keys.empty()) co_return removed;
    if (removed == 0) co_await record_pruning(context, store, before);
    std::vector<Change> changes;
    for (const std::string& key : old.keys) changes.push_back({key, std::nullopt});
    co_await store.write(context, changes);
    removed += changes.size();
  }
}

Task<PrunedAudit> prune_expired_audit(Context& context, KeyValueStore& store, std::int64_t days_to_keep) {
  const Instant expired = days_before(context.clock.now(), days_to_keep);
  ExpiredKeyCollector found(expired, 1);
  co_await store.scan(context, audit_prefix, found);
  if (found.keys.empty()) co_return PrunedAudit();
  const Instant oldest{audit_name_of(found.keys.front())->time};
  const Instant bound = days_before(oldest, -PrunedAudit::max_days);
  PrunedAudit pruned{.removed = co_await prune_audit_trail(context, store, std::min(expired, bound))};
  if (bound >= expired) co_return pruned;
  ExpiredKeyCollector kept(expired, 1);
  co_await store.scan(context, audit_prefix, kept);
  pruned.has_kept = !kept.keys.empty();
  co_return pruned;
}

}  // namespace portail
