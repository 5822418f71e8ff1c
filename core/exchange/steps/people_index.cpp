#include "core/exchange/steps/people_index.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/crypto/hash.hpp"
#include "core/portal/records/bundle_index.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/records/stored_string.hpp"
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

std::string_view prefix_of(Relation relation) {
  return relation == Relation::user ? user_index_prefix : manager_index_prefix;
}
std::string index_key(Relation relation, std::string_view sub, std::size_t part) {
  const auto number = static_cast<std::uint32_t>(part);
  return relation == Relation::user ? user_index_key(sub, number) : manager_index_key(sub, number);
}

}  // namespace

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
    People& people_of_relation = people(is_user ? Relation::user : Relation::manager);
    people_of_relation.associations.push_back({number_of(people_of_relation.numbers, person), number});
  }
  return {};
}

Result<void> PeopleIndex::add(const Bundle& bundle) {
  const auto third_party = third_parties_.find(std::string(bundle.third_party));
  if (third_party == third_parties_.end()) return {};
  bundles_.push_back({third_party->second, static_cast<std::uint32_t>(bundle.id.size()), ids_.size()});
  ids_ += bundle.id;
  return {};
}

void PeopleIndex::sort() {
  std::ranges::sort(bundles_, {},
                    [](const BundleEntry& bundle) { return std::tuple(bundle.third_party, bundle.start); });
  for (People& each : people_) std::ranges::sort(each.associations);
}

Task<void> PeopleIndex::write(Context& context, KeyValueStore& store) {
  sort();
  co_await write_relation(context, store, Relation::user);
  co_await write_relation(context, store, Relation::manager);
}

// Returns the position of each third party's first bundle in the sorted bundles, and the end of the last one's.
std::vector<std::size_t> PeopleIndex::first_bundles() const {
  std::vector<std::size_t> first(third_parties_.size() + 1);
  for (const BundleEntry& bundle : bundles_) ++first[bundle.third_party + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  return first;
}

Task<std::string> PeopleIndex::find_missing(Context& context, KeyValueStore& store) {
  sort();
  std::string missing;
  for (const Relation relation : {Relation::user, Relation::manager}) {
    StoredParts stored;
    co_await store.scan(context, prefix_of(relation), stored);
    co_await encode_relation(relation, [&](std::string key, const std::string&) -> Task<void> {
      if (missing.empty() && !stored.contains(key)) missing = std::move(key);
      co_return;
    });
  }
  co_return missing;
}

Task<void> PeopleIndex::write_relation(Context& context, KeyValueStore& store, Relation relation) {
  StoredParts stored;
  co_await store.scan(context, prefix_of(relation), stored);
  Commit commit(store, false);
  co_await encode_relation(relation, [&](std::string key, std::string text) -> Task<void> {
    if (!stored.mark_used(key, text)) commit.put(std::move(key), std::move(text));
    co_await commit.write_if_full(context);
  });
  co_await commit.write(context);
  co_await stored.remove_unused(context, commit);
}

template <class OnPart>
Task<void> PeopleIndex::encode_relation(Relation relation, OnPart on_part) {
  const People& people_of_relation = people(relation);
  std::vector<std::string_view> persons(people_of_relation.numbers.size());
  for (const auto& [person, number] : people_of_relation.numbers) persons[number] = person;
  std::vector<std::string_view> numbers(third_parties_.size());
  for (const auto& [text, number] : third_parties_) numbers[number] = text;
  const std::vector<std::size_t> first = first_bundles();

  std::vector<IndexEntry> entries;
  for (std::size_t i = 0; i < people_of_relation.associations.size();) {
    const Number person = people_of_relation.associations[i].person;
    entries.clear();
    for (; i < people_of_relation.associations.size() && people_of_relation.associations[i].person == person; ++i) {
      const Number third_party = people_of_relation.associations[i].third_party;
      for (std::size_t bundle = first[third_party]; bundle < first[third_party + 1]; ++bundle) {
        const auto& [_, length, start] = bundles_[bundle];
        entries.push_back({std::string_view(ids_).substr(start, length), numbers[third_party]});
      }
    }
    if (entries.empty()) continue;
    const std::string sub = unquoted(persons[person]);

    // Part 0 counts the parts, so it is written after the others.
    std::vector<std::string> parts = encode_index(persons[person], entries);
    for (std::size_t part = parts.size(); part-- > 0;) {
      co_await on_part(index_key(relation, sub, part), std::move(parts[part]));
    }
  }
}

}  // namespace portail
