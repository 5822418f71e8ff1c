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
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class PeopleIndex {
 public:
  // Adds a third party. All third parties are added before the first bundle. Relations that a later version wrote are
  // skipped, as by has_relation. Fails with Failure::corrupt for an invalid value.
  Result<void> add(const ThirdParty& third_party);
  // Adds a bundle. A bundle without a third party belongs to no user.
  Result<void> add(const Bundle& bundle);

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
  struct BundleEntry {
    Number third_party;
    std::uint32_t length;
    std::size_t start;  // of the id, in ids_
  };

  People& people(Relation relation) { return people_[relation == Relation::user ? 0 : 1]; }
  Task<void> write_relation(Context& context, KeyValueStore& store, Relation relation);
  void sort();
  // Calls on_part(key, text), which returns a Task<void>, for each part of the relation's indexes. Call sort() first.
  template <class OnPart>
  Task<void> encode_relation(Relation relation, OnPart on_part);
  [[nodiscard]] std::vector<std::size_t> first_bundles() const;

  Numbers third_parties_;
  std::array<People, 2> people_;
  std::vector<BundleEntry> bundles_;
  std::string ids_;  // of the bundles, as JSON texts
};

}  // namespace portail
