#include "core/exchange/contents.hpp"

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/auth/grants.hpp"
#include "core/exchange/data_state.hpp"
#include "core/exchange/scans.hpp"
#include "core/exchange/steps/id_set.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/exchange/steps/people_index.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/exchange/stored_references.hpp"
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

// Counts and checks the values. Fails with Failure::corrupt if one is damaged or missing; `damaged` is then the key of
// a damaged one.
struct ContentsCheck {
  Task<void> run(Context& context, KeyValueStore& store, StoreContents& contents) {
    const StoredMailObjects stored = co_await read_mail_objects(context, store);
    contents.of(Section::mail_objects) = stored.objects.size();
    contents.shared_type_codes = shared_type_codes(stored);
    co_await references.add(stored);
    for (const auto& [id, object] : stored.objects) {
      if (!object.template_file) continue;
      ++contents.template_files;
      if (references.is_complete()) co_await references.read_template(context, store, id, *object.template_file);
    }
    PeopleIndex index;
    for (const StoredEntity& entity : stored_entities) {
      IdSet keys;
      co_await scan_entries(context, store, entity.prefix, [&](std::string_view key, std::string_view value) {
        ++contents.of(entity.section);
        keys.insert(IdSet::of(key));
        const Result<void> checked = check(entity, value, index);
        if (!checked && !references.has_missing()) damaged = key;
        return checked;
      });
      co_await references.check_indexes(context, store, entity, keys);
    }
    if (const std::string part = co_await index.find_missing(context, store); !part.empty())
      co_await references.lose(part);
    const std::uint64_t grants = co_await count_grants(context, store);
    contents.of(Section::grants) = grants;
    if (grants == 0) co_await references.check_absent_grants(context, store);
    co_await scan_entries(context, store, audit_prefix,
                          [&contents](std::string_view, std::string_view) -> Result<void> {
                            ++contents.audit_records;
                            return {};
                          });
  }

  Result<void> check(const StoredEntity& entity, std::string_view value, PeopleIndex& index) {
    if (!entity.is_intact(value)) return std::unexpected(Failure::corrupt);
    return index.add(entity, value).and_then([&] { return references.add(entity, value); });
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
