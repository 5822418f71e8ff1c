// Collects the references of a document's elements until the document is read completely. Each third party and mail
// object is stored once, with the location of its first reference. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/steps/check.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/portal/records/bundle.hpp"

namespace portail {

class References {
 public:
  // Adds the reference of an entity to a third party. `index` is the entity's index in its section. References to
  // third parties that `document` has already are not stored.
  void add(const StoredEntity& entity, std::string_view third_party, std::uint64_t index,
           const CheckedDocument& document);
  // Adds the references of a bundle to mail objects.
  void add(std::span<const ExpectedPiece> pieces, std::uint64_t index);

  // Adds a fault for each reference to an entity that is neither in the document nor in the store. With pruning the
  // store does not count.
  void check_mail_objects(const CheckedDocument& document, const StoredMailObjects& stored,
                          const ImportOptions& options, Faults& faults) const;
  Task<void> check_third_parties(Context& context, KeyValueStore& store, const CheckedDocument& document,
                                 const ImportOptions& options, Faults& faults) const;

 private:
  struct PiecePosition {
    std::uint64_t bundle;
    std::uint64_t piece;
  };
  struct ThirdPartyReference {
    std::string number;  // a JSON string
    const StoredEntity* entity;
    std::uint64_t index;
  };
  std::map<std::uint64_t, PiecePosition> mail_objects_;
  std::vector<ThirdPartyReference> third_parties_;
  IdSet seen_third_parties_;
};

}  // namespace portail
