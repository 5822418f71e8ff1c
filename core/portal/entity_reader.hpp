// Reads entities by their ids, each with the third party that it refers to, and tells which of them a person may see
// (docs/reference/contract.md, "Who sees what"). Views live as long as the session; one request.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/portal/batch.hpp"
#include "core/portal/records/fields.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/records/person_index.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// An entity, whose table of fields has its id first and one field of Form::reference, the number of its third party.
template <class Record>
struct Entity {
  Record record;
  ThirdParty third_party;  // without people if it does not exist
};

// Third parties by number (JSON strings), each read once.
class ThirdParties {
 public:
  void request(std::string_view number) { numbers_.push_back(number); }
  void add_to(Batch& batch);
  Result<void> load_from(const Batch& batch);
  [[nodiscard]] const ThirdParty* find(std::string_view number) const;

 private:
  std::vector<std::string_view> numbers_;
  std::vector<std::size_t> slots_;
  std::vector<ThirdParty> found_;
};

// Reads the entities of `entries` and their third parties in one batch, in the order of the entries. A second batch
// reads third parties that changed since the index was written, or whose number is empty in the entry. Entries without
// an entity are skipped. `read_record` and `key` are those of a record: read_bundle, bundle_key.
template <auto read_record, auto key, class Record = RecordOf<read_record>>
Task<std::vector<Entity<Record>>> read_entities(Context& context, Session& session,
                                                std::span<const IndexEntry> entries) {
  constexpr auto id = fields_of<Record>.front().stored;
  constexpr auto reference = reference_of<Record>()->stored;
  Batch batch;
  std::vector<std::size_t> slots;
  ThirdParties third_parties;
  batch.reserve(2 * entries.size());
  slots.reserve(entries.size());
  for (const IndexEntry& entry : entries) {
    slots.push_back(batch.add(key(unquoted(entry.id))));
    third_parties.request(entry.third_party);
  }
  third_parties.add_to(batch);
  co_await batch.fetch(context, session);
  co_await third_parties.load_from(batch);

  std::vector<Entity<Record>> entities;  // their third parties are set later
  entities.reserve(entries.size());
  bool index_is_stale = false;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Value value = batch[slots[i]];
    if (!value) continue;
    const Record record = co_await read_record(*value);
    if (record.*id != entries[i].id) continue;
    if (record.*reference != entries[i].third_party && !third_parties.find(record.*reference)) {
      third_parties.request(record.*reference);
      index_is_stale = true;
    }
    entities.push_back({.record = record, .third_party = {}});
  }
  Batch second_batch;
  if (index_is_stale) {
    third_parties.add_to(second_batch);
    co_await second_batch.fetch(context, session);
    co_await third_parties.load_from(second_batch);
  }
  for (Entity<Record>& each : entities) {
    if (const ThirdParty* found = third_parties.find(each.record.*reference)) each.third_party = *found;
  }
  co_return entities;
}

// Removes the entities that `person`, a JSON string, may not see in the relation.
template <class Record>
void keep_visible(std::vector<Entity<Record>>& entities, Relation relation, std::string_view person) {
  std::erase_if(entities,
                [&](const Entity<Record>& each) { return !has_relation(each.third_party, relation, person); });
}

}  // namespace portail
