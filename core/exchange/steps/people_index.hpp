// Builds the indexes of each person's bundles, the values `utilisateur.SUB.N` and `gestionnaire.SUB.N`, from the third
// parties and the bundles (docs/reference/storage-layout.md, "Keys"). About 60 bytes of memory for a bundle. One thread
// at a time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/task.hpp"
#include "core/exchange/steps/commit.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class PeopleIndex {
 public:
  // Adds an entity: a third party with its people, or one that indexes name. All third parties are added before the
  // first of the others. Relations that a later version wrote are skipped, as by has_relation. A bundle without a third
  // party belongs to no user. Fails with Failure::corrupt for an invalid value.
  Result<void> add(const StoredEntity& entity, std::string_view value);

  // Writes the parts that changed, then removes obsolete parts.
  Task<void> write(Context& context, KeyValueStore& store);
  // Returns the key of a part that the store lacks; empty if it has all.
  Task<std::string> find_missing(Context& context, KeyValueStore& store);

 private:
  using Number = std::uint32_t;                             // of a person or a third party, in order of appearance
  using Numbers = std::unordered_map<std::string, Number>;  // by JSON text

  struct Association {
    Number person;
    Number third_party;
    friend auto operator<=>(const Association&, const Association&) = default;
  };
  struct People {  // of one relation
    Numbers numbers;
    std::vector<Association> associations;
  };
  struct Entry {
    Number third_party;
    std::uint32_t length;
    std::size_t start;  // of the id, in ids
  };
  struct Entities {  // of one kind
    std::vector<Entry> entries;
    std::string ids;  // as JSON texts
  };
  struct Indexes {  // of one kind in one relation
    std::string_view prefix;
    const Entities& entities;
    const People& people;
  };

  Result<void> add(const ThirdParty& third_party);
  // Sorts what was added.
  std::vector<Indexes> sorted_indexes();
  // Calls on_part(key, text), which returns a Task<void>, for each part of the indexes.
  template <class OnPart>
  Task<void> encode(const Indexes& indexes, OnPart on_part) const;

  Numbers third_parties_;
  std::array<People, 2> people_;  // by relation
  std::array<Entities, stored_entities.size()> entities_;
};

}  // namespace portail
