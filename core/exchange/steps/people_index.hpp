// Which bundles each person may look for: the values `utilisateur.SUB.N` and `gestionnaire.SUB.N`, made anew from the
// third parties and the bundles (docs/reference/storage-layout.md, "Keys"). About 60 bytes of memory for a bundle. One
// thread at a time.
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
  // All third parties come before the first bundle. A third party of a kind that this program never writes is corrupt.
  Result<void> add(const ThirdParty& third_party);
  // A bundle whose third party is missing belongs to no user.
  void add(const Bundle& bundle);

  // Writes the parts that are not stored so already, and then removes those there are no more.
  Task<void> write(Context& context, KeyValueStore& store);

 private:
  using Number = std::uint32_t;  // of a person or a third party, in the order of their coming
  using Numbers = std::unordered_map<std::string, Number>;  // by JSON text

  struct Tie {
    Number person;
    Number third_party;
    friend auto operator<=>(const Tie&, const Tie&) = default;
  };
  struct People {  // of one relation
    Numbers numbers;
    std::vector<Tie> ties;
  };
  struct BundleOf {
    Number third_party;
    std::uint32_t length;
    std::size_t start;  // of the id, in ids_
  };

  People& people(Relation relation) { return people_[relation == Relation::user ? 0 : 1]; }
  Task<void> write_relation(Context& context, KeyValueStore& store, Relation relation);
  [[nodiscard]] std::vector<std::size_t> first_bundles() const;

  Numbers third_parties_;
  std::array<People, 2> people_;
  std::vector<BundleOf> bundles_;
  std::string ids_;  // of the bundles, as JSON texts
};

}  // namespace portail
