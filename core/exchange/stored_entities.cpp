#include "core/exchange/stored_entities.hpp"

#include <algorithm>
#include <utility>

#include "core/exchange/document/elements.hpp"
#include "core/exchange/export_elements.hpp"
#include "core/exchange/steps/differences.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/person_index.hpp"
#include "core/portal/records/third_party.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

template <auto read>
Result<EntityIds> ids_in(std::string_view value) {
  return read(value).transform([](const RecordOf<read>& record) {
    EntityIds ids{.id = record.*fields_of<RecordOf<read>>.front().stored, .third_party = {}};
    constexpr auto reference = reference_of<RecordOf<read>>();
    if (reference && !is_null(*reference, record.*reference->stored)) ids.third_party = record.*reference->stored;
    return ids;
  });
}

template <auto read>
bool is_readable(std::string_view value) {
  return read(value).has_value();
}

template <auto read>
Result<EntityDifferences> compare(std::optional<std::string_view> before, std::optional<std::string_view> after) {
  const auto earlier = before.transform(read);
  const auto later = after.transform(read);
  if ((earlier && !*earlier) || (later && !*later)) return std::unexpected(Failure::corrupt);
  auto pieces = piece_changes(earlier ? &**earlier : nullptr, later ? &**later : nullptr);
  if (!pieces) return std::unexpected(pieces.error());
  return EntityDifferences{.members = earlier && later ? differences(**earlier, **later) : MemberNames(),
                           .pieces = std::move(*pieces)};
}

// Returns the row of a record by its table. A plain record, whose value is a line of its fields, is read by
// read_record<Record>.
template <auto read, auto is_intact = is_readable<read>>
constexpr StoredEntity entity_of(Section section, std::string_view name, std::string_view prefix,
                                 std::span<const std::string_view> indexes = {}) {
  constexpr auto reference = reference_of<RecordOf<read>>();
  return {.section = section,
          .name = name,
          .id_name = fields_of<RecordOf<read>>.front().name,
          .reference_name = reference ? reference->name : std::string_view(),
          .prefix = prefix,
          .indexes = indexes,
          .parse = parse_record<RecordOf<read>>,
          .ids = ids_in<read>,
          .is_intact = is_intact,
          .element = [](std::string_view value) { return read(value).and_then(record_element<RecordOf<read>>); },
          .differences = compare<read>};
}

}  // namespace

constexpr std::array<StoredEntity, all_sections.size() - 2> stored_entities{
    entity_of<read_third_party>(Section::third_parties, "third party", third_party_prefix),
    entity_of<read_bundle, is_intact_bundle>(Section::bundles, "bundle", bundle_prefix, bundle_indexes)};

static_assert(std::ranges::is_sorted(stored_entities, {}, &StoredEntity::section));

const StoredEntity* stored_entity(Section section) {
  const auto found = std::ranges::find(stored_entities, section, &StoredEntity::section);
  return found == stored_entities.end() ? nullptr : &*found;
}

}  // namespace portail
