#include "core/exchange/contents.hpp"

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/auth/grants.hpp"
#include "core/exchange/data_state.hpp"
#include "core/exchange/result_visitor.hpp"
#include "core/exchange/steps/id_set.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/exchange/steps/people_index.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/exchange/stored_references.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

Task<std::uint64_t> count_grants(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  const AuditedValue audited = co_await read_stored_grants(context, *session);
  const Grants grants = co_await Grants::parse(audited.content);
  std::uint64_t count = 0;
  grants.for_each([&count](Permission, GrantKind, std::string_view) { ++count; });
  co_return count;
}

class AuditCount final : public Visitor {
 public:
  bool visit(std::string_view /*key*/, std::string_view /*value*/) override {
    ++records;
    return true;
  }
  std::uint64_t records = 0;
};

// Counts and checks the values. Fails with Failure::corrupt if one is damaged or missing; `damaged` is then the key of
// a damaged one.
struct ContentsCheck {
  Task<void> run(Context& context, KeyValueStore& store, StoreContents& contents) {
    const StoredMailObjects stored = co_await read_mail_objects(context, store);
    contents.mail_objects = stored.objects.size();
    contents.shared_type_codes = shared_type_codes(stored);
    co_await references.add(stored);
    for (const auto& [id, object] : stored.objects) {
      if (!object.template_file) continue;
      ++contents.template_files;
      if (references.is_complete()) co_await references.read_template(context, store, id, *object.template_file);
    }
    PeopleIndex index;
    co_await visit(context, store, third_party_prefix, [&](std::string_view value) -> Result<void> {
      const auto third_party = read_third_party(value);
      if (!third_party) return std::unexpected(third_party.error());
      ++contents.third_parties;
      references.add(*third_party);
      return index.add(*third_party);
    });
    IdSet bundles;
    co_await visit(context, store, bundle_prefix, [&](std::string_view value) -> Result<void> {
      const auto bundle = read_bundle(value);
      if (!bundle || !is_intact_bundle(value)) return std::unexpected(Failure::corrupt);
      ++contents.bundles;
      bundles.insert(IdSet::of(bundle_key(unquoted(bundle->id))));
      index.add(*bundle);
      return references.add(*bundle);
    });
    co_await references.check_indexes(context, store, bundles);
    if (const std::string part = co_await index.find_missing(context, store); !part.empty())
      co_await references.lose(part);
    contents.grants = co_await count_grants(context, store);
    if (contents.grants == 0) co_await references.check_absent_grants(context, store);
    AuditCount audit;
    co_await store.scan(context, audit_prefix, audit);
    contents.audit_records = audit.records;
  }

  template <class OnValue>
  Task<void> visit(Context& context, KeyValueStore& store, std::string_view prefix, OnValue on_value) {
    ResultVisitor visitor([&](std::string_view key, std::string_view value) {
      const Result<void> checked = on_value(value);
      if (!checked && !references.has_missing()) damaged = key;
      return checked;
    });
    co_await store.scan(context, prefix, visitor);
    co_await visitor.outcome();
  }

  StoredReferences references;
  std::string damaged;
};

}  // namespace

Task<StoreContents> count_contents(Context& context, KeyValueStore& store) {
  for (int attempt = 0; attempt < max_export_attempts; ++attempt) {
    const DataState state = co_await read_data_state(context, store);
    StoreContents contents;
    contents.is_complete = state.is_complete;
    ContentsCheck check{.references = StoredReferences(state), .damaged = {}};
    const auto checked = co_await outcome(check.run(context, store, contents));
    if (!check.damaged.empty()) context.log.warn("a stored value is damaged", check.damaged);
    // An import that runs meanwhile removes values, too.
    if (check.references.has_missing() && co_await read_data_state(context, store) != state) continue;
    check.references.log_missing(context);
    co_await checked;
    co_return contents;
  }
  co_return std::unexpected(Failure::unavailable);
}

}  // namespace portail
