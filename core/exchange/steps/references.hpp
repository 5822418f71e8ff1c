// What the bundles of a document refer to, until the whole document was read: each third party and mail object is kept
// once, with the place where it was named first. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/exchange/document/elements.hpp"
#include "core/exchange/steps/check.hpp"

namespace portail {

class References {
 public:
  // `index` is the bundle's, in its section. Third parties that `document` has shown already need not be kept.
  void add(const BundleElement& bundle, std::uint64_t index, const CheckedDocument& document);

  // Adds a fault for each reference to nothing: neither in the document nor, unless it is pruned away, in the store.
  void check_mail_objects(const CheckedDocument& document, const StoredMailObjects& stored,
                          const ImportOptions& options, Faults& faults) const;
  Task<void> check_third_parties(Context& context, KeyValueStore& store, const CheckedDocument& document,
                                 const ImportOptions& options, Faults& faults) const;

 private:
  struct PiecePlace {
    std::uint64_t bundle;
    std::uint64_t piece;
  };
  struct ThirdPartyReference {
    std::string raw_number;
    JsonText number;
    std::uint64_t bundle;
  };
  std::map<std::uint64_t, PiecePlace> mail_objects_;
  std::vector<ThirdPartyReference> third_parties_;
  IdSet known_third_parties_;
};

// Adds a fault for each third party and mail object that pruning would remove, and that a stored bundle which stays
// refers to; and for each section that pruning would empty, unless options.may_empty is set.
Task<void> check_pruning(Context& context, KeyValueStore& store, const CheckedDocument& document,
                         const StoredMailObjects& stored, const ImportOptions& options, Faults& faults);

}  // namespace portail
