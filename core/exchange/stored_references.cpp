#include "core/exchange/stored_references.hpp"

#include <algorithm>
#include <utility>

#include "core/exchange/scans.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/records/person_index.hpp"
#include "core/portal/template_file.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {
namespace {

// Finds the record of an import that finished and had grants: their value exists from then on.
class GrantsRecordVisitor final : public Visitor {
 public:
  bool visit(std::string_view /*key*/, std::string_view record) override {
    found = record.contains(R"("droits":{"added":)") &&
            !record.contains(R"("droits":{"added":0,"changed":0,"unchanged":0,"removed":0})");
    return !found;
  }
  bool found = false;
};

}  // namespace

Result<void> StoredReferences::add(const StoredMailObjects& stored) {
  has_catalogue_ = !stored.catalogue_parts.empty();
  for (const auto& [id, object] : stored.objects) mail_objects_.push_back(id);
  if (!stored.missing.empty()) {
    missing_ = stored.missing.front();
    return std::unexpected(Failure::corrupt);
  }
  const bool is_configured =
      std::ranges::all_of(mail_objects_, [&](std::uint64_t id) { return stored.configurations.has(id); });
  return is_configured ? Result<void>() : lose(configuration_key);
}

Result<void> StoredReferences::add(const StoredEntity& entity, std::string_view value) {
  const auto ids = entity.ids(value);
  if (!ids) return std::unexpected(ids.error());
  if (entity.section == Section::third_parties) third_parties_.insert(IdSet::of(ids->id));
  if (!is_complete_) return {};
  if (!ids->third_party.empty() && !third_parties_.contains(IdSet::of(ids->third_party)))
    return lose(third_party_key(unquoted(ids->third_party)));
  if (entity.section != Section::bundles) return {};
  const auto pieces = read_bundle(value).and_then(pieces_of);
  if (!pieces) return std::unexpected(pieces.error());
  for (const ExpectedPiece& piece : *pieces) {
    if (!std::ranges::binary_search(mail_objects_, piece.mail_object_id))
      return lose(has_catalogue_ ? "mail object " + std::string(piece.mail_object) : catalogue_key(0));
  }
  return {};
}

Task<std::string> StoredReferences::read_template(Context& context, KeyValueStore& store, std::uint64_t mail_object,
                                                  const OwnedMailObject::Template& file) {
  const auto session = co_await store.open(context);
  auto bytes = co_await read_template_file(context, *session, mail_object, file.size, file.hash);
  if (bytes) co_return std::move(*bytes);
  for (std::uint32_t part = 0; part < count_template_parts(file.size); ++part) {
    const std::string key = template_key(mail_object, part);
    if (!co_await read_value(context, store, key)) co_await lose(key);
  }
  co_return std::unexpected(Failure::corrupt);
}

Result<void> StoredReferences::lose(std::string_view key) {
  if (!is_complete_) return {};
  missing_ = key;
  return std::unexpected(Failure::corrupt);
}

Task<void> StoredReferences::check_indexes(Context& context, KeyValueStore& store, const StoredEntity& entity,
                                           const IdSet& keys) {
  const auto check_part = [&](std::string_view key, std::string_view value) -> Result<void> {
    for (IndexEntries entries(key.ends_with(".0") ? 0 : 1, value);;) {
      const auto entry = entries.next();
      if (!entry || !*entry) return {};
      const std::string named = entity_key(entity.prefix, unquoted((*entry)->id));
      if (!keys.contains(IdSet::of(named))) return lose(named);
    }
  };
  for (const std::string_view prefix : entity.indexes) {
    co_await scan_entries(context, store, prefix, check_part);
  }
}

Task<void> StoredReferences::check_absent_grants(Context& context, KeyValueStore& store) {
  if (!is_complete_ || co_await read_value(context, store, grants_key)) co_return;
  GrantsRecordVisitor records;
  co_await store.scan(context, audit_prefix, records);
  // An import that runs meanwhile writes the value before its record.
  if (records.found && !co_await read_value(context, store, grants_key)) co_await lose(grants_key);
}

void StoredReferences::log_missing(Context& context) const {
  if (missing_.empty()) return;
  context.log.warn("a stored value is missing", missing_ + "; import the document again, or restore a backup");
}

}  // namespace portail
