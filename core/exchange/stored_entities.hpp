// The entities that are stored one by one, under keys of their ids: what imports and exports need of each. Only bundles
// have further steps, for their pieces and deposits, in steps/ and stored_references.cpp. Constants; any thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"
#include "core/exchange/changes.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/document/faults.hpp"

namespace portail {

// The differences of two values of one entity: views of both.
struct EntityDifferences {
  std::vector<std::string_view> members;  // their names in documents
  std::vector<PieceChange> pieces;
};

// JSON strings.
struct EntityIds {
  std::string_view id;
  std::string_view third_party;  // that the entity refers to; empty: none
};

// A kind of entities.
struct StoredEntity {
  Section section;
  std::string_view name;            // in messages
  std::string_view id_name;         // the member of elements that is the id
  std::string_view reference_name;  // the member that is the number of a third party; empty: none
  std::string_view prefix;          // of the keys
  // The prefixes of the keys of the indexes that name entities by person: of users, and of managers. Empty: none.
  std::span<const std::string_view> indexes;
  // Returns the value to store; nullopt after a fault, which is added.
  std::optional<std::string> (*parse)(const Element& element, Faults& faults);
  // The functions below fail with Failure::corrupt if a value is invalid.
  Result<EntityIds> (*ids)(std::string_view value);
  // Whether all of the value can be read, and is what its hash says if it has one.
  bool (*is_intact)(std::string_view value);
  // Returns the element of an export.
  Result<std::string> (*element)(std::string_view value);
  // Compares two versions of an entity; nullopt: it does not exist. At least one does.
  Result<EntityDifferences> (*differences)(std::optional<std::string_view> before,
                                           std::optional<std::string_view> after);
};

// All but the mail objects and the grants, in the order of documents and of writing: each after those that it refers
// to.
extern const std::array<StoredEntity, all_sections.size() - 2> stored_entities;
// Returns the entity of that section; nullptr if it is stored otherwise.
const StoredEntity* stored_entity(Section section);

}  // namespace portail
