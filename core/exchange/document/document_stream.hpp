// One reading of the import document: pulls chunks from the host and gives the elements in their order. One thread at a
// time.
#pragma once

#include <cstdint>
#include <optional>

#include "core/crypto/hash.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/exchange/import.hpp"

namespace portail {

class DocumentStream {
 public:
  // All of them must outlive the stream. What is wrong between the elements is added to `faults`.
  DocumentStream(ImportInput& input, ImportPhase phase, ImportProgress& progress, Faults& faults)
      : input_(input), phase_(phase), progress_(progress), reader_(faults) {}

  // Begins at the document's first byte. Once, before next().
  Task<void> begin(Context& context) { return input_.rewind(context); }
  // The next element, valid until the following call; nullopt at the end, or where the document is no document.
  Task<std::optional<Element>> next(Context& context);

  [[nodiscard]] bool has_seen(Section section) const { return reader_.has_seen(section); }
  // A hash of the document's bytes, once, after next() gave nullopt without a fault.
  [[nodiscard]] Hash16 finish_hash() { return hash_.finish(); }

 private:
  ImportInput& input_;
  ImportPhase phase_;
  ImportProgress& progress_;
  ElementReader reader_;
  Blake2b hash_;
  std::uint64_t bytes_ = 0;
};

}  // namespace portail
