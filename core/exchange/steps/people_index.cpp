#include "core/exchange/steps/people_index.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/crypto/hash.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/records/person_index.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// The stored parts of all indexes of one relation, ordered by key.
class StoredParts final : public Visitor {
 public:
  bool visit(std::string_view key, std::string_view value) override {
    parts_.push_back({std::string(key), blake2b(value), false});
    return true;
  }

  [[nodiscard]] bool contains(std::string_view key) const {
    return std::ranges::binary_search(parts_, key, {}, [](const Part& part) -> std::string_view { return part.key; });
  }
  // Marks the part as used. Returns whether it is stored with this value.
  bool mark_used(std::string_view key, std::string_view value) {
    const auto part = std::ranges::lower_bound(parts_, key, {}, &Part::key);
    if (part == parts_.end() || part->key != key) return false;
    part->is_used = true;
    return part->hash == blake2b(value);
  }

  Task<void> remove_unused(Context& context, Commit& commit) const {
    for (const Part& part : parts_) {
      if (part.is_used) continue;
      commit.remove(part.key);
      co_await commit.write_if_full(context);
    }
    co_await commit.write(context);
  }

 private:
  struct Part {
    std::string key;
    Hash16 hash;
    bool is_used;
  };
  std::vector<Part> parts_;
};

std::uint32_t number_of(std::unordered_map<std::string, std::uint32_t>& numbers, std::string_view text) {
  return numbers.try_emplace(std::string(text), static_cast<std::uint32_t>(numbers.size())).first->second;
}

}  // namespace

Result<void> PeopleIndex::add(const StoredEntity& entity, std::string_view value) {
  if (entity.section == Section::third_parties)
    return read_third_party(value).and_then([this](const ThirdParty& third_party) { return add(third_party); });
  if (entity.indexes.empty()) return {};
  return entity.ids(value).transform([&](const EntityIds& named) {
    const auto third_party = third_parties_.find(std::string(named.third_party));
    if (third_party == third_parties_.end()) return;
    auto& [entries, ids] = entities_[static_cast<std::size_t>(&entity - stored_entities.data())];
    entries.push_back({third_party->second, static_cast<std::uint32_t>(named.id.size()), ids.size()});
    ids += named.id;
  });
}

Result<void> PeopleIndex::add(const ThirdParty& third_party) {
  const Number number = number_of(third_parties_, third_party.number);
  Lines lines(third_party.person_lines);
  while (const auto line = lines.next()) {
    Fields fields(*line);
    const std::string_view relation = fields.next_or_empty();
    const std::string_view person = fields.next_or_empty();
    const bool is_user = relation == wire_name(Relation::user);
    if (!is_user && relation != wire_name(Relation::manager)) continue;
    if (person.empty()) return std::unexpected(Failure::corrupt);
    if (fields.next()) continue;
    People& people = people_[is_user ? 0 : 1];
    people.associations.push_back({number_of(people.numbers, person), number});
  }
  return {};
}

std::vector<PeopleIndex::Indexes> PeopleIndex::sorted_indexes() {
  for (People& each : people_) std::ranges::sort(each.associations);
  std::vector<Indexes> all;
  for (std::size_t i = 0; i < entities_.size(); ++i) {
    std::ranges::sort(entities_[i].entries, {},
                      [](const Entry& entry) { return std::tuple(entry.third_party, entry.start); });
    for (std::size_t relation = 0; relation < stored_entities[i].indexes.size(); ++relation) {
      all.push_back({stored_entities[i].indexes[relation], entities_[i], people_[relation]});
    }
  }
  return all;
}

Task<std::string> PeopleIndex::find_missing(Context& context, KeyValueStore& store) {
  std::string missing;
  for (const Indexes& indexes : sorted_indexes()) {
    StoredParts stored;
    co_await store.scan(context, indexes.prefix, stored);
    co_await encode(indexes, [&](std::string key, const std::string&) -> Task<void> {
      if (missing.empty() && !stored.contains(key)) missing = std::move(key);
      co_return;
    });
  }
  co_return missing;
}

Task<void> PeopleIndex::write(Context& context, KeyValueStore& store) {
  for (const Indexes& indexes : sorted_indexes()) {
    StoredParts stored;
    co_await store.scan(context, indexes.prefix, stored);
    Commit commit(store, false);
    co_await encode(indexes, [&](std::string key, std::string text) -> Task<void> {
      if (!stored.mark_used(key, text)) commit.put(std::move(key), std::move(text));
      co_await commit.write_if_full(context);
    });
    co_await commit.write(context);
    co_await stored.remove_unused(context, commit);
  }
}

template <class OnPart>
Task<void> PeopleIndex::encode(const Indexes& indexes, OnPart on_part) const {
  const auto& [prefix, entities, people] = indexes;
  std::vector<std::string_view> persons(people.numbers.size());
  for (const auto& [person, number] : people.numbers) persons[number] = person;
  std::vector<std::string_view> numbers(third_parties_.size());
  for (const auto& [text, number] : third_parties_) numbers[number] = text;
  // The position of each third party's first entity in the sorted ones, and the end of the last one's.
  std::vector<std::size_t> first(third_parties_.size() + 1);
  for (const Entry& entry : entities.entries) ++first[entry.third_party + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];

  std::vector<IndexEntry> entries;
  for (std::size_t i = 0; i < people.associations.size();) {
    const Number person = people.associations[i].person;
    entries.clear();
    for (; i < people.associations.size() && people.associations[i].person == person; ++i) {
      const Number third_party = people.associations[i].third_party;
      for (std::size_t entry = first[third_party]; entry < first[third_party + 1]; ++entry) {
        const auto& [_, length, start] = entities.entries[entry];
        entries.push_back({std::string_view(entities.ids).substr(start, length), numbers[third_party]});
      }
    }
    if (entries.empty()) continue;
    const std::string sub = unquoted(persons[person]);

    // Part 0 counts the parts, so it is written after the others.
    std::vector<std::string> parts = encode_index(persons[person], entries);
    for (std::size_t part = parts.size(); part-- > 0;) {
      co_await on_part(person_key(prefix, sub, static_cast<std::uint32_t>(part)), std::move(parts[part]));
    }
  }
}

}  // namespace portail
