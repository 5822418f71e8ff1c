#include "core/portal/reading.hpp"

#include <algorithm>

#include "core/portal/batch.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::size_t not_asked = static_cast<std::size_t>(-1);

// The parts of one stored list, as far as they were asked for.
struct Parts {
  struct Part {
    std::size_t number;
    std::size_t place;  // in the second batch; part 0 is in the first
  };
  std::size_t first = not_asked;  // part 0's place in the first batch
  std::vector<Part> further;

  template <class MakeKey>
  void add_further(Batch& batch, std::size_t begin, std::size_t end, MakeKey make_key) {
    for (std::size_t number = std::max<std::size_t>(begin, 1); number < end; ++number) {
      further.push_back({number, batch.add(make_key(static_cast<std::uint32_t>(number)))});
    }
  }
  // Calls add(number, text) -> Result<void> for each part; one that is missing is skipped, as dangling ids are.
  template <class Add>
  Result<void> for_each(const Batch& first_batch, const Batch& second_batch, bool with_part_0, Add add) const {
    if (with_part_0 && first_batch[first]) {
      if (auto added = add(std::size_t{0}, *first_batch[first]); !added) return added;
    }
    for (const Part& part : further) {
      if (const Value text = second_batch[part.place]) {
        if (auto added = add(part.number, *text); !added) return added;
      }
    }
    return {};
  }
};

struct PartRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t first_position = 0;
};

PartRange wanted_parts(const CatalogueSummary& summary, const Wanted& wanted) {
  const std::size_t all = summary.parts.size();
  if (wanted.mail_objects == Wanted::MailObjects::all) return {0, all, 0};
  if (wanted.mail_objects == Wanted::MailObjects::one) {
    const std::size_t part = summary.part_of(wanted.id);
    return {part, std::min(part + 1, all), 0};
  }
  PartRange range;
  while (range.begin < all && range.first_position + summary.parts[range.begin].count <= wanted.skip) {
    range.first_position += summary.parts[range.begin++].count;
  }
  std::uint64_t position = range.first_position;
  range.end = range.begin;
  while (range.end < all && position < wanted.skip + wanted.count) position += summary.parts[range.end++].count;
  return range;
}

std::string index_key(Relation relation, std::string_view person, std::uint32_t part) {
  return relation == Relation::user ? user_index_key(person, part) : manager_index_key(person, part);
}

}  // namespace

Task<WhatWasRead> read(Context& context, Session& session, const Wanted& wanted) {
  WhatWasRead result;
  const bool wants_objects = wanted.mail_objects != Wanted::MailObjects::none;
  const bool wants_index = wanted.index && !wanted.person.empty();
  const bool wants_consultations = wanted.consultations && !wanted.person.empty();

  Batch first;
  Parts catalogue;
  Parts index;
  Parts consultations;
  std::size_t configuration = not_asked;
  std::size_t grants = not_asked;
  std::size_t bundle = not_asked;
  if (wants_objects) {
    catalogue.first = first.add(catalogue_key(0));
    configuration = first.add(std::string(configuration_key));
  }
  if (wanted.grants) grants = first.add(std::string(grants_key));
  if (wanted.bundle) bundle = first.add(bundle_key(*wanted.bundle));
  if (wants_index) index.first = first.add(index_key(*wanted.index, wanted.person, 0));
  if (wants_consultations) consultations.first = first.add(consultation_key(wanted.person, 0));
  co_await first.fetch(context, session);

  Batch second;
  PartRange range;
  std::size_t third_party = not_asked;
  if (wants_objects && first[catalogue.first]) {
    result.summary = co_await read_catalogue_summary(*first[catalogue.first]);
    range = wanted_parts(result.summary, wanted);
    result.first_position = range.first_position;
    catalogue.add_further(second, range.begin, range.end, [](std::uint32_t part) { return catalogue_key(part); });
  }
  if (wanted.bundle && first[bundle]) {
    const Bundle found = co_await read_bundle(*first[bundle]);
    // A hashed key could be another bundle's, in theory.
    if (found.id == stored_string(*wanted.bundle)) {
      result.bundle = found;
      third_party = second.add(third_party_key(unquoted(found.third_party)));
    }
  }
  if (wants_index && first[index.first]) {
    const std::size_t parts = co_await count_index_parts(*first[index.first]);
    index.add_further(second, 1, parts,
                      [&](std::uint32_t part) { return index_key(*wanted.index, wanted.person, part); });
  }
  if (wants_consultations && first[consultations.first]) {
    const std::size_t parts = co_await count_consultation_parts(*first[consultations.first]);
    consultations.add_further(second, 1, parts,
                              [&](std::uint32_t part) { return consultation_key(wanted.person, part); });
  }
  co_await second.fetch(context, session);

  if (wants_objects) {
    co_await catalogue.for_each(first, second, range.begin == 0, [&](std::size_t number, std::string_view text) {
      result.catalogue_texts.push_back(text);
      return result.mail_objects.add_part(number, text);
    });
    result.configuration_value = first[configuration];
    const AuditedValue audited = co_await read_audited_value(result.configuration_value.value_or(""));
    result.configuration_lines = audited.content;
    result.configurations = co_await Configurations::parse(result.configuration_value.value_or(""));
  }
  if (wanted.grants && first[grants]) {
    const AuditedValue audited = co_await read_audited_value(*first[grants]);
    result.grants = co_await Grants::parse(audited.content);
  }
  if (third_party != not_asked && second[third_party]) {
    result.third_party = co_await read_third_party(*second[third_party]);
  }
  if (wants_index) {
    co_await index.for_each(first, second, true, [&](std::size_t number, std::string_view text) -> Result<void> {
      IndexEntries entries(number, text);
      for (;;) {
        const auto entry = entries.next();
        if (!entry) return std::unexpected(entry.error());
        if (!*entry) return {};
        result.index.push_back(**entry);
      }
    });
  }
  if (wants_consultations) {
    co_await consultations.for_each(first, second, true, [&](std::size_t number, std::string_view text) {
      return result.consultations.add_part(number, text);
    });
  }
  co_return result;
}

}  // namespace portail
