// Receives the change of each entity by an import, for callers that report more than counts (`import --dry-run`).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/exchange/document/element_reader.hpp"

namespace portail {

enum class ChangeKind : std::uint8_t { added, changed, removed };

// An expected piece that has another status, is new or was removed.
struct PieceChange {
  std::string_view id;    // UUID
  std::string_view from;  // JSON string; null for a new one
  std::string_view to;    // JSON string; null for a removed one
};

// The views are valid during a call of the listener.
struct EntityChange {
  Section section{};
  ChangeKind kind{};
  std::string_view entity;  // its identifier: a number, a JSON string, or, for a grant, its stored line
  std::span<const std::string_view> members = {};  // of ChangeKind::changed: the names of those that differ
  std::span<const PieceChange> pieces = {};        // of a bundle
};

class ImportChangeListener {
 public:
  virtual ~ImportChangeListener() = default;
  virtual void on_change(const EntityChange& change) = 0;
};

}  // namespace portail
