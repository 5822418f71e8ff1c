// Reads the import document once: pulls chunks from the host and returns the elements in order. One thread at a time.
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
  // All arguments must outlive the stream. Faults between elements are added to `faults`.
  DocumentStream(ImportInput& input, ImportPhase phase, ImportProgress& progress, Faults& faults)
      : input_(input), phase_(phase), progress_(progress), reader_(faults) {}

  // Rewinds to the document's first byte. Call once, before next().
  Task<void> begin(Context& context) { return input_.rewind(context); }
  // Returns the next element, valid until the following call; nullopt at the end or after a fault in the document's
  // structure.
  Task<std::optional<Element>> next(Context& context);

  [[nodiscard]] bool has_section(Section section) const { return reader_.has_section(section); }
  // Returns the hash of the document's bytes. Call once, after next() returned nullopt without a fault.
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
