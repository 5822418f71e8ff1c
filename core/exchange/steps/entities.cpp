#include "core/exchange/steps/entities.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exchange/document/document_stream.hpp"
#include "core/exchange/steps/commit.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/lines.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// Returns the number of the pieces of `bundle` whose deposit differs from the same piece's in `stored`. Without a
// stored bundle every deposit is new.
Result<std::uint64_t> count_new_deposits(const Bundle& bundle, const std::optional<Bundle>& stored) {
  using Deposit = std::pair<std::string_view, std::string_view>;  // of a piece
  const auto pieces = pieces_of(bundle);
  const auto stored_pieces = stored ? pieces_of(*stored) : std::vector<ExpectedPiece>();
  if (!pieces || !stored_pieces) return std::unexpected(Failure::corrupt);
  std::vector<Deposit> stored_deposits;
  for (const ExpectedPiece& piece : *stored_pieces) stored_deposits.emplace_back(piece.id, piece.deposit);
  std::ranges::sort(stored_deposits);
  return static_cast<std::uint64_t>(std::ranges::count_if(*pieces, [&](const ExpectedPiece& piece) {
    return piece.has_deposit() && !std::ranges::binary_search(stored_deposits, Deposit(piece.id, piece.deposit));
  }));
}

// An entity of the document.
struct NewEntity {
  const StoredEntity* entity;
  std::string value;  // to store
  [[nodiscard]] Section section() const { return entity->section; }
};

// A batch of entities that is compared with the store and committed together.
class EntityBatch {
 public:
  EntityBatch(KeyValueStore& store, const ImportOptions& options, ImportReport& report)
      : store_(store), options_(options), report_(report), commit_(store, options.dry_run) {}

  void add(NewEntity entity, std::size_t bytes) {
    entities_.push_back(std::move(entity));
    bytes_ += bytes;
  }
  [[nodiscard]] bool is_full() const {
    return entities_.size() >= max_entities_per_commit || bytes_ >= max_bytes_per_commit;
  }

  Task<void> write(Context& context) {
    if (entities_.empty()) co_return;
    // Third parties before the bundles that refer to them.
    std::ranges::stable_sort(entities_, {}, &NewEntity::section);
    std::vector<std::string> keys;
    for (const auto& [entity, value] : entities_) {
      const EntityIds ids = co_await entity->ids(value);
      keys.push_back(entity_key(entity->prefix, unquoted(ids.id)));
    }
    {
      const std::vector<std::string_view> key_views(keys.begin(), keys.end());
      std::vector<Value> values(keys.size());
      const std::unique_ptr<Session> session = co_await store_.open(context);
      co_await session->get(context, key_views, values);
      for (std::size_t i = 0; i < entities_.size(); ++i) {
        auto& [entity, value] = entities_[i];
        if (entity->section == Section::bundles) co_await add_deposits(value, values[i]);
        co_await report_change(*entity, values[i], value);
        put(std::move(keys[i]), values[i], std::move(value), report_.of(entity->section));
      }
    }
    co_await commit_.write(context);
    entities_.clear();
    bytes_ = 0;
  }

 private:
  // Sets the bundle's count of deposits, and its revision.
  Result<void> add_deposits(std::string& value, const Value& stored_value) {
    auto bundle = read_bundle(value);
    std::optional<Bundle> stored;
    if (stored_value) {
      const auto read = read_bundle(*stored_value);
      if (!read) return std::unexpected(read.error());
      stored = *read;
    }
    const auto added = bundle.and_then([&](const Bundle& each) { return count_new_deposits(each, stored); });
    if (!added) return std::unexpected(added.error());
    report_.deposits += *added;
    bundle->deposits = (stored ? stored->deposits : 0) + *added;
    value = encode_bundle(*bundle);
    return {};
  }

  // Reports the change of an entity if options.change_listener is set.
  Result<void> report_change(const StoredEntity& entity, const Value& stored, std::string_view value) {
    if (!options_.change_listener || stored == value) return {};
    const auto ids = entity.ids(value);
    const auto found = entity.differences(stored, value);
    if (!ids || !found) return std::unexpected(Failure::corrupt);
    options_.report_change({.section = entity.section,
                            .kind = stored ? ChangeKind::changed : ChangeKind::added,
                            .entity = ids->id,
                            .members = found->members,
                            .pieces = found->pieces});
    return {};
  }

  void put(std::string key, const Value& stored, std::string value, SectionReport& section) {
    if (stored == value) {
      ++section.unchanged;
      return;
    }
    ++(stored ? section.changed : section.added);
    commit_.put(std::move(key), std::move(value));
  }

  KeyValueStore& store_;
  const ImportOptions& options_;
  ImportReport& report_;
  Commit commit_;
  std::vector<NewEntity> entities_;
  std::size_t bytes_ = 0;
};

}  // namespace

Task<void> write_entities(Context& context, KeyValueStore& store, ImportInput& input, const ImportOptions& options,
                          ImportProgress& progress, const Hash16& checked_hash, Faults& faults, ImportReport& report) {
  EntityBatch batch(store, options, report);
  Faults new_faults;
  DocumentStream stream(input, ImportPhase::writing, progress, new_faults);
  co_await stream.begin(context);
  while (const auto element = co_await stream.next(context)) {
    if (const StoredEntity* const entity = stored_entity(element->section)) {
      if (auto value = entity->parse(*element, new_faults)) {
        batch.add({entity, std::move(*value)}, element->text.size());
      }
    }
    if (new_faults.count() > 0) break;
    if (batch.is_full()) co_await batch.write(context);
  }
  co_await batch.write(context);
  if (new_faults.count() > 0 || stream.finish_hash() != checked_hash) {
    faults.add({nullptr, "document", {}}, "it changed while it was being imported; import it again");
  }
}

}  // namespace portail
