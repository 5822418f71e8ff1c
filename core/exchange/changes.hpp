// What an import does to each entity, for callers that report more than counts (`import --dry-run`).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/exchange/document/element_reader.hpp"

namespace portail {

enum class ChangeKind : std::uint8_t { added, changed, removed };

class ImportChanges {
 public:
  virtual ~ImportChanges() = default;
  // `entity` is what the document tells it from others by: a number, a JSON string, or, of a grant, its stored line.
  // `members` are the document's names of what is different, where it is changed. Views for the time of the call.
  virtual void note(Section section, ChangeKind kind, std::string_view entity,
                    std::span<const std::string_view> members) = 0;
};

}  // namespace portail
