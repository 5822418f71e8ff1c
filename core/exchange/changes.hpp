// Receives the change of each entity by an import, for callers that report more than counts (`import --dry-run`).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/exchange/document/element_reader.hpp"

namespace portail {

enum class ChangeKind : std::uint8_t { added, changed, removed };

class ImportChangeListener {
 public:
  virtual ~ImportChangeListener() = default;
  // `entity` is the document's identifier of the entity: a number, a JSON string, or, for a grant, its stored line. For
  // ChangeKind::changed, `members` are the names of the members that differ. The views are valid during the call.
  virtual void on_change(Section section, ChangeKind kind, std::string_view entity,
                         std::span<const std::string_view> members) = 0;
};

}  // namespace portail
