// How long the answers of bundles can get (docs/how-to/import.md, "Faults"): a piece repeats its mail object's texts,
// so that a short document could ask for very long answers. A bundle is counted at its longest, whatever its pieces'
// mail objects are set to, and without its third party's names. Sixteen bytes of memory for a bundle, and four for a
// piece. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/exchange/document/elements.hpp"
#include "core/exchange/steps/check.hpp"

namespace portail {

inline constexpr std::size_t largest_bundle_answer = std::size_t{1024} * 1024;  // bytes of JSON

class AnswerSizes {
 public:
  // `index` is the bundle's, in its section.
  void add(const BundleElement& bundle, std::uint64_t index);

  // Adds a fault for each bundle of the document whose answer would be too large. Every mail object that these name is
  // in the document or in the store.
  void check(const CheckedDocument& document, const StoredMailObjects& stored, Faults& faults) const;

 private:
  struct BundleSize {
    std::uint64_t index;
    std::uint32_t alone;   // without its mail objects
    std::uint32_t pieces;  // of mail_objects_
  };
  std::uint32_t number_of(std::uint64_t mail_object);

  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of mail objects by id, in the order of their coming
  std::vector<std::uint32_t> mail_objects_;                   // of all pieces
  std::vector<BundleSize> bundles_;
};

// Adds a fault for each stored bundle that the document leaves as it is, and whose answer its mail objects would make
// too large.
Task<void> check_stored_answers(Context& context, KeyValueStore& store, const CheckedDocument& document,
                                const StoredMailObjects& stored, const ImportOptions& options, Faults& faults);

}  // namespace portail
