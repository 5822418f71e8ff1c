#include "core/exchange/steps/pruning.hpp"

#include <set>
#include <string>

#include "core/exchange/scans.hpp"
#include "core/exchange/steps/stored_grants.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/portal/records/bundle.hpp"

namespace portail {
namespace {

// Finds out whether the store has a key with a prefix.
class ExistenceVisitor final : public Visitor {
 public:
  bool visit(std::string_view /*key*/, std::string_view /*value*/) override {
    found = true;
    return false;
  }
  bool found = false;
};

// Finds the stored entities whose third party or mail object would be removed.
class DanglingReferenceCheck {
 public:
  // All arguments must outlive the check.
  DanglingReferenceCheck(const CheckedDocument& document, const StoredMailObjects& stored, Faults& faults)
      : document_(document), stored_(stored), faults_(faults) {}

  [[nodiscard]] bool concerns(const StoredEntity& entity) const {
    return !document_.has(entity.section) &&
           ((document_.has(Section::third_parties) && !entity.reference_name.empty()) || has_pieces(entity));
  }
  Result<void> check(const StoredEntity& entity, std::string_view value) {
    const auto ids = entity.ids(value);
    if (!ids) return std::unexpected(ids.error());
    if (document_.has(Section::third_parties) && !ids->third_party.empty()) {
      const IdSet::Id id = IdSet::of(ids->third_party);
      if (!document_.ids_of(Section::third_parties).contains(id) && reported_third_parties_.insert(id)) {
        add(Section::third_parties, ids->third_party, entity, ids->id);
      }
    }
    if (!has_pieces(entity)) return {};
    const auto pieces = read_bundle(value).and_then(pieces_of);
    if (!pieces) return std::unexpected(pieces.error());
    for (const ExpectedPiece& piece : *pieces) {
      const std::uint64_t id = piece.mail_object_id;
      if (!document_.mail_objects.contains(id) && stored_.has(id) && reported_mail_objects_.insert(id).second) {
        add(Section::mail_objects, piece.mail_object, entity, ids->id);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] bool has_pieces(const StoredEntity& entity) const {
    return entity.section == Section::bundles && document_.has(Section::mail_objects);
  }
  void add(Section section, std::string_view removed, const StoredEntity& entity, std::string_view id) {
    faults_.add({nullptr, name_of(section), {}}, "pruning would remove " + std::string(removed) +
                                                     ", which the stored " + std::string(entity.name) + ' ' +
                                                     std::string(id) + " refers to");
  }

  const CheckedDocument& document_;
  const StoredMailObjects& stored_;
  Faults& faults_;
  IdSet reported_third_parties_;
  std::set<std::uint64_t> reported_mail_objects_;
};

Task<bool> is_stored(Context& context, KeyValueStore& store, std::string_view prefix) {
  ExistenceVisitor any;
  co_await store.scan(context, prefix, any);
  co_return any.found;
}

Task<bool> has_grants(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  co_return !(co_await read_stored_grants(context, *session)).content.empty();
}

}  // namespace

bool prunes(const ImportOptions& options, const CheckedDocument& document, Section section) {
  return options.prune && document.has(section);
}

Task<void> check_removals(Context& context, KeyValueStore& store, const CheckedDocument& document,
                          const StoredMailObjects& stored, const ImportOptions& options, Faults& faults) {
  if (!options.allow_empty_sections) {
    const auto refuse = [&](Section section) {
      faults.add({nullptr, name_of(section), {}}, std::string("the section is empty, so ") +
                                                      (options.prune ? "--prune" : "the import") +
                                                      " would remove all stored elements; to allow this, give --yes "
                                                      "(over HTTP: allowEmptySections=true)");
    };
    const bool has_mail_objects = !stored.objects.empty() || !stored.missing.empty();
    if (prunes(options, document, Section::mail_objects) && document.mail_objects.empty() && has_mail_objects) {
      refuse(Section::mail_objects);
    }
    for (const StoredEntity& entity : stored_entities) {
      if (prunes(options, document, entity.section) && document.ids_of(entity.section).size() == 0 &&
          co_await is_stored(context, store, entity.prefix)) {
        refuse(entity.section);
      }
    }
    // They are replaced whole, also without --prune.
    if (document.has(Section::grants) && document.grants.empty() && co_await has_grants(context, store)) {
      refuse(Section::grants);
    }
  }
  if (!options.prune) co_return;
  DanglingReferenceCheck dangling(document, stored, faults);
  for (const StoredEntity& entity : stored_entities) {
    if (!dangling.concerns(entity)) continue;
    co_await scan_entries(context, store, entity.prefix,
                          [&](std::string_view, std::string_view value) { return dangling.check(entity, value); });
  }
}

}  // namespace portail
