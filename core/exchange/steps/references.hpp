// Collects the references of a document's bundles until the document is read completely. Each third party and mail
// object is stored once, with the location of its first reference. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/exchange/steps/check.hpp"
#include "core/portal/records/bundle.hpp"

namespace portail {

class References {
 public:
  // `index` is the bundle's index in its section. References to third parties that `document` has already are not
  // stored.
  void add(const Bundle& bundle, std::span<const ExpectedPiece> pieces, std::uint64_t index,
           const CheckedDocument& document);

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
    std::uint64_t bundle;
  };
  std::map<std::uint64_t, PiecePosition> mail_objects_;
  std::vector<ThirdPartyReference> third_parties_;
  IdSet seen_third_parties_;
};

// Adds a fault for each third party and mail object that pruning would remove although a remaining stored bundle refers
// to it. Adds a fault for each empty section that would remove all stored elements, unless
// options.allow_empty_sections is set.
Task<void> check_removals(Context& context, KeyValueStore& store, const CheckedDocument& document,
                          const StoredMailObjects& stored, const ImportOptions& options, Faults& faults);

}  // namespace portail
