// The same document as export.hpp, pulled: for answers whose client reads slowly. One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/exchange/export_elements.hpp"
#include "core/exchange/key_batches.hpp"
#include "core/http/chunk_source.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Reads the keys of a section first, about 40 bytes of memory each, then a few values at a time. A value that is
// removed meanwhile is absent. Template files are not part of the document. Fails as export_document.
class ExportSource final : public ChunkSource {
 public:
  // `store` must outlive this.
  explicit ExportSource(KeyValueStore& store) : store_(store) {}

  Task<std::optional<std::string_view>> next(Context& context) override;
  [[nodiscard]] std::size_t occupied() const override { return chunk_.size() + keys_.occupied(); }

 private:
  // Adds the next elements, or the end of a section and the beginning of the next one.
  Task<void> step(Context& context);
  Task<void> add_mail_objects(Context& context);
  Task<void> begin_values(Context& context, Section section, std::string_view prefix);
  Task<void> add_values(Context& context);

  KeyValueStore& store_;
  DocumentWriter document_;
  std::optional<Section> section_;  // the current one; nullopt before the first
  bool ended_ = false;
  KeyBatches keys_;
  std::string chunk_;
};

}  // namespace portail
