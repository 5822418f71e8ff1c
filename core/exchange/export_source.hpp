// The same document as export.hpp, pulled: for answers whose client reads slowly. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/exchange/data_state.hpp"
#include "core/exchange/export_elements.hpp"
#include "core/exchange/scans.hpp"
#include "core/exchange/stored_entities.hpp"
#include "core/exchange/stored_references.hpp"
#include "core/http/request.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Reads all keys first, about 40 bytes of memory each, then a few values at a time, and keeps 32 bytes of each third
// party. Template files are not part of the document. All values are of one state: if the store has snapshots of its
// own, those of one session, which is held as long as the host lets the client read. From a key-value service, which
// would keep a connection for that session, and from other stores, the source fails with Failure::unavailable if an
// import has changed the state since; a document of at most the buffer's size is then complete before the first chunk.
// Fails otherwise as export_document.
class ExportSource final : public ChunkSource {
 public:
  static constexpr std::size_t default_buffer_size = std::size_t{1} << 20;

  // `state` is the store's state of before. `store` must outlive this.
  ExportSource(KeyValueStore& store, DataState state, std::size_t buffer_size = default_buffer_size)
      : store_(store), state_(std::move(state)), buffer_size_(buffer_size), references_(state_) {}

  // Call it once, before next(). Returns false if an import has changed the state: begin with another source.
  Task<bool> begin(Context& context);
  Task<std::optional<std::string_view>> next(Context& context) override;
  [[nodiscard]] std::size_t occupied() const override {
    std::size_t keys = 0;
    for (const KeyBatches& each : keys_) keys += each.occupied();
    return chunk_.size() + document_.size() + keys + references_.occupied();
  }

 private:
  // Reads the keys, and without snapshots the beginning of the document.
  Task<void> read_beginning(Context& context);
  // Adds the next elements, or the end of a section and the beginning of the next one.
  Task<void> step(Context& context);
  Task<void> step(Context& context, Session& session);
  // Reads values until a chunk is complete.
  Task<void> fill(Context& context);
  [[nodiscard]] bool holds_session() const { return store_.traits().snapshots && !store_.traits().uses_editions; }

  KeyValueStore& store_;
  const DataState state_;
  const std::size_t buffer_size_;
  std::unique_ptr<Session> session_;  // null: each step reads the current values
  StoredReferences references_;
  DocumentWriter document_;
  bool begun_ = false;
  bool ended_ = false;
  bool is_checked_ = false;  // all values are known to be of `state_`
  std::size_t entity_ = 0;   // of stored_entities: the current section, after that of mail objects
  std::array<KeyBatches, stored_entities.size()> keys_;
  std::string chunk_;
};

}  // namespace portail
