#include "core/exchange/stored_entities.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/exchange/document/elements.hpp"
#include "core/exchange/export_elements.hpp"
#include "core/exchange/steps/differences.hpp"
#include "core/exchange/steps/people_index.hpp"
#include "core/exchange/stored_references.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

template <auto read>
using Record = std::remove_cvref_t<decltype(*read(std::string_view()))>;

template <auto read>
Result<std::string_view> id_in(std::string_view value) {
  return read(value).transform(
      [](const Record<read>& record) { return record.*fields_of<Record<read>>.front().stored; });
}

template <auto read>
bool is_readable(std::string_view value) {
  return read(value).has_value();
}

template <auto read, class Target>
Result<void> add_to(std::string_view value, Target& target) {
  return read(value).and_then([&target](const Record<read>& record) { return target.add(record); });
}

template <auto read>
Result<EntityDifferences> compare(std::optional<std::string_view> before, std::optional<std::string_view> after) {
  const auto read_any = [](std::optional<std::string_view> value) -> Result<std::optional<Record<read>>> {
    if (!value) return std::nullopt;
    return read(*value);
  };
  const auto earlier = read_any(before);
  const auto later = read_any(after);
  if (!earlier || !later) return std::unexpected(Failure::corrupt);
  EntityDifferences found;
  if (*earlier && *later) found.members = differences(**earlier, **later);
  if constexpr (std::is_same_v<Record<read>, Bundle>) {
    auto pieces = piece_changes(*earlier ? &**earlier : nullptr, *later ? &**later : nullptr);
    if (!pieces) return std::unexpected(pieces.error());
    found.pieces = std::move(*pieces);
  }
  return found;
}

constexpr std::array bundle_indexes{user_index_prefix, manager_index_prefix};

}  // namespace

constexpr std::array<StoredEntity, 2> stored_entities{
    StoredEntity{.section = Section::third_parties,
                 .id_name = fields_of<ThirdParty>.front().name,
                 .prefix = third_party_prefix,
                 .key = third_party_key,
                 .indexes = {},
                 .parse = parse_third_party,
                 .id = id_in<read_third_party>,
                 .is_intact = is_readable<read_third_party>,
                 .element = third_party_element,
                 .add_to_references = add_to<read_third_party, StoredReferences>,
                 .add_to_index = add_to<read_third_party, PeopleIndex>,
                 .differences = compare<read_third_party>},
    StoredEntity{.section = Section::bundles,
                 .id_name = fields_of<Bundle>.front().name,
                 .prefix = bundle_prefix,
                 .key = bundle_key,
                 .indexes = bundle_indexes,
                 .parse = parse_bundle,
                 .id = id_in<read_bundle>,
                 .is_intact = is_intact_bundle,
                 .element = bundle_element,
                 .add_to_references = add_to<read_bundle, StoredReferences>,
                 .add_to_index = add_to<read_bundle, PeopleIndex>,
                 .differences = compare<read_bundle>}};

static_assert(std::ranges::is_sorted(stored_entities, {}, &StoredEntity::section));

const StoredEntity* stored_entity(Section section) {
  const auto found = std::ranges::find(stored_entities, section, &StoredEntity::section);
  return found == stored_entities.end() ? nullptr : &*found;
}

}  // namespace portail
