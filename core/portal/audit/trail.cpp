#include "core/portal/audit/trail.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/json/reader.hpp"
#include "core/portal/audit/audit_state.hpp"
#include "core/portal/audit/change_record.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

struct Link {
  AuditName name;
  std::optional<AuditName> previous;
  bool reachable = false;
};

// Whether such a record counts by itself: no value refers to it.
bool is_reachable_alone(std::optional<std::string_view> action) {
  return action == name_of(AuditAction::call) || action == name_of(AuditAction::erasure);
}

// Returns the link of a record.
Result<Link> link_of(AuditName name, std::string_view record) {
  const auto document = parse_json(record);
  const auto object = document ? object_of(document->root()) : std::nullopt;
  const auto found = object ? member(*object, "previous") : std::nullopt;
  if (!found) return std::unexpected(Failure::corrupt);
  if (found->is_null()) {
    return Link{
        .name = name, .previous = std::nullopt, .reachable = is_reachable_alone(string_member(*object, "action"))};
  }
  const auto key = string_of(*found);
  const auto previous = key ? audit_name_of(*key) : std::nullopt;
  if (!previous) return std::unexpected(Failure::corrupt);
  return Link{.name = name, .previous = previous};
}

// Collects the links of all records, ordered by name.
class LinkCollector final : public Visitor {
 public:
  bool visit(std::string_view key, std::string_view value) override {
    const auto name = audit_name_of(key);
    if (!name) return fail();
    const auto link = link_of(*name, value);
    if (!link) return fail();
    links_.push_back(*link);
    return true;
  }

  // Marks the records of the chain that begins with `last`.
  void mark_reachable(std::optional<AuditName> last) {
    while (last) {
      const auto link = std::ranges::lower_bound(links_, *last, {}, &Link::name);
      if (link == links_.end() || link->name != *last || link->reachable) return;  // pruned, or marked already
      link->reachable = true;
      last = link->previous;
    }
  }

  // Returns the names of the marked records, in order.
  [[nodiscard]] std::vector<AuditName> reachable() && {
    std::vector<AuditName> names;
    for (const Link& link : links_) {
      if (link.reachable) names.push_back(link.name);
    }
    links_ = {};
    return names;
  }
  [[nodiscard]] Result<void> outcome() const { return outcome_; }

 private:
  bool fail() {
    outcome_ = std::unexpected(Failure::corrupt);
    return false;
  }

  std::vector<Link> links_;
  Result<void> outcome_;
};

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
  explicit ExpiredKeyCollector(Instant before) : before_(before) {}
  bool visit(std::string_view key, std::string_view) override {
    const auto name = audit_name_of(key);
    if (!name) return true;
    if (name->time >= before_.microseconds) return false;
    keys.emplace_back(key);
    return keys.size() < max;
  }

  static constexpr std::size_t max = 1'000;
  std::vector<std::string> keys;

 private:
  Instant before_;
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

Task<std::vector<AuditName>> reachable_audit_records(Context& context, KeyValueStore& store) {
  const NamedRecords last = co_await read_named_records(context, store);
  LinkCollector links;
  co_await store.scan(context, audit_prefix, links);
  co_await links.outcome();
  for (const auto& name : last) links.mark_reachable(name);
  co_return std::move(links).reachable();
}

Task<void> read_audit_trail(Context& context, KeyValueStore& store, AuditVisitor& visitor) {
  ReachableRecordVisitor reachable(co_await reachable_audit_records(context, store), visitor);
  co_await store.scan(context, audit_prefix, reachable);
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

}  // namespace portail
