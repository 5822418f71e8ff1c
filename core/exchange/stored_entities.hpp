// The entities that are stored one by one, under keys of their ids: what imports and exports need of each. Only bundles
// have further steps: the check of their pieces (steps/check.cpp) and their deposits (steps/entities.cpp). Constants;
// any thread.
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

class PeopleIndex;
class StoredReferences;

// The differences of two values of one entity: views of both.
struct EntityDifferences {
  std::vector<std::string_view> members;  // their names in documents
  std::vector<PieceChange> pieces;
};

// A kind of entities.
struct StoredEntity {
  Section section;
  std::string_view id_name;  // the member of elements that is the id
  std::string_view prefix;   // of the keys
  std::string (*key)(std::string_view id);
  std::span<const std::string_view> indexes;  // the prefixes of the keys of the indexes that name entities
  // Returns the value to store; nullopt after a fault, which is added.
  std::optional<std::string> (*parse)(const Element& element, Faults& faults);
  // The functions below fail with Failure::corrupt if a value is invalid.
  // Returns the id, a JSON string.
  Result<std::string_view> (*id)(std::string_view value);
  // Whether all of the value can be read, and is what its hash says if it has one.
  bool (*is_intact)(std::string_view value);
  // Returns the element of an export.
  Result<std::string> (*element)(std::string_view value);
  // Adds the entity to what others refer to, and finds what it refers to.
  Result<void> (*add_to_references)(std::string_view value, StoredReferences& references);
  // Adds the entity to the index of people's bundles. All third parties precede the first bundle.
  Result<void> (*add_to_index)(std::string_view value, PeopleIndex& index);
  // Compares two versions of an entity; nullopt: it does not exist. At least one does.
  Result<EntityDifferences> (*differences)(std::optional<std::string_view> before,
                                           std::optional<std::string_view> after);
};

// In the order of documents and of writing: each after those that it refers to.
extern const std::array<StoredEntity, 2> stored_entities;
// Returns the entity of that section; nullptr if it is stored otherwise.
const StoredEntity* stored_entity(Section section);

}  // namespace portail
