// Computes the maximum size of bundles' answers (docs/how-to/import.md, "Faults"). A piece repeats its mail object's
// texts, so a small document could cause very large answers. The size assumes the longest configuration and excludes
// the third party's names. Memory: 16 bytes for a bundle and four for a piece. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/exchange/steps/check.hpp"
#include "core/portal/records/bundle.hpp"

namespace portail {

inline constexpr std::size_t max_bundle_answer_size = std::size_t{1024} * 1024;  // bytes of JSON

class AnswerSizes {
 public:
  // `index` is the bundle's index in its section.
  void add(const Bundle& bundle, std::span<const ExpectedPiece> pieces, std::uint64_t index);

  // Adds a fault for each bundle of the document whose answer would be too large. Every mail object of these bundles
  // must be in the document or in the store.
  void check(const CheckedDocument& document, const StoredMailObjects& stored, Faults& faults) const;

 private:
  struct BundleSize {
    std::uint64_t index;
    std::uint32_t base_size;  // without its mail objects
    std::uint32_t pieces;     // number of its pieces in mail_objects_
  };
  std::uint32_t number_of(std::uint64_t mail_object);

  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // mail objects by id, numbered in order of appearance
  std::vector<std::uint32_t> mail_objects_;                   // the mail objects of all pieces, by number
  std::vector<BundleSize> bundles_;
};

// Adds a fault for each stored bundle that the document does not contain and whose answer would become too large by the
// document's mail objects.
Task<void> check_stored_answers(Context& context, KeyValueStore& store, const CheckedDocument& document,
                                const StoredMailObjects& stored, const ImportOptions& options, Faults& faults);

}  // namespace portail
