#include "core/portal/reading.hpp"

#include <algorithm>
#include <utility>

#include "core/portal/batch.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::size_t not_asked = static_cast<std::size_t>(-1);

// The parts of one stored list that are wanted: part 0 came in the first batch, the others come in the second.
class Parts {
 public:
  void ask_for_first(Batch& first, std::string key) { first_ = first.add(std::move(key)); }
  [[nodiscard]] Value first_of(const Batch& first) const { return first[first_]; }

  // In ascending order.
  template <class MakeKey>
  void want(Batch& second, std::size_t number, MakeKey make_key) {
    wanted_.push_back({number, number == 0 ? first_ : second.add(make_key(static_cast<std::uint32_t>(number)))});
  }
  // Calls add(number, text) -> Result<void> for each part; one that is missing is skipped, as dangling ids are.
  template <class Add>
  Result<void> for_each(const Batch& first, const Batch& second, Add add) const {
    for (const auto& [number, place] : wanted_) {
      if (const Value text = (number == 0 ? first : second)[place]) {
        if (auto added = add(number, *text); !added) return added;
      }
    }
    return {};
  }

 private:
  struct Part {
    std::size_t number;
    std::size_t place;  // in its batch
  };
  std::size_t first_ = not_asked;
  std::vector<Part> wanted_;
};

// The parts of a catalogue, in ascending order.
struct CatalogueParts {
  std::vector<std::size_t> numbers;
  std::uint64_t first_position = 0;  // in the whole catalogue, of what is first in them
};

CatalogueParts all_parts(const CatalogueSummary& summary) {
  CatalogueParts parts;
  for (std::size_t number = 0; number < summary.parts.size(); ++number) parts.numbers.push_back(number);
  return parts;
}

CatalogueParts parts_of_page(const CatalogueSummary& summary, std::uint64_t skip, std::uint64_t count) {
  CatalogueParts parts;
  std::uint64_t position = 0;
  for (std::size_t number = 0; number < summary.parts.size() && position < skip + count; ++number) {
    const std::uint64_t end = position + summary.parts[number].count;
    if (end > skip) {
      if (parts.numbers.empty()) parts.first_position = position;
      parts.numbers.push_back(number);
    }
    position = end;
  }
  if (parts.numbers.empty()) parts.first_position = position;
  return parts;
}

Result<CatalogueParts> parts_of_pieces(const CatalogueSummary& summary, const Bundle& bundle) {
  CatalogueParts parts;
  Pieces pieces(bundle);
  for (;;) {
    const auto piece = pieces.next();
    if (!piece) return std::unexpected(piece.error());
    if (!*piece) break;
    parts.numbers.push_back(summary.part_of((*piece)->mail_object));
  }
  std::ranges::sort(parts.numbers);
  const auto repeated = std::ranges::unique(parts.numbers);
  parts.numbers.erase(repeated.begin(), repeated.end());
  return parts;
}

Result<CatalogueParts> wanted_parts(const CatalogueSummary& summary, const Wanted& wanted,
                                    const std::optional<Bundle>& bundle) {
  switch (wanted.mail_objects) {
    case Wanted::MailObjects::none:
      break;
    case Wanted::MailObjects::all:
      return all_parts(summary);
    case Wanted::MailObjects::page:
      return parts_of_page(summary, wanted.skip, wanted.count);
    case Wanted::MailObjects::one:
      return CatalogueParts{.numbers = {summary.part_of(wanted.id)}};
    case Wanted::MailObjects::of_bundle:
      if (bundle) return parts_of_pieces(summary, *bundle);
      break;
  }
  return CatalogueParts{};
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
    catalogue.ask_for_first(first, catalogue_key(0));
    configuration = first.add(std::string(configuration_key));
  }
  if (wanted.grants) grants = first.add(std::string(grants_key));
  if (wanted.bundle) bundle = first.add(bundle_key(*wanted.bundle));
  if (wants_index) index.ask_for_first(first, index_key(*wanted.index, wanted.person, 0));
  if (wants_consultations) consultations.ask_for_first(first, consultation_key(wanted.person, 0));
  co_await first.fetch(context, session);

  Batch second;
  std::size_t third_party = not_asked;
  if (wanted.bundle && first[bundle]) {
    const Bundle found = co_await read_bundle(*first[bundle]);
    // A hashed key could be another bundle's, in theory.
    if (found.id == stored_string(*wanted.bundle)) {
      result.bundle = found;
      third_party = second.add(third_party_key(unquoted(found.third_party)));
    }
  }
  if (const Value part_0 = wants_objects ? catalogue.first_of(first) : std::nullopt) {
    result.summary = co_await read_catalogue_summary(*part_0);
    const CatalogueParts parts = co_await wanted_parts(result.summary, wanted, result.bundle);
    result.first_position = parts.first_position;
    for (const std::size_t number : parts.numbers) catalogue.want(second, number, catalogue_key);
  }
  if (const Value part_0 = wants_index ? index.first_of(first) : std::nullopt) {
    const std::size_t parts = co_await count_index_parts(*part_0);
    for (std::size_t number = 0; number < parts; ++number) {
      index.want(second, number, [&](std::uint32_t part) { return index_key(*wanted.index, wanted.person, part); });
    }
  }
  if (const Value part_0 = wants_consultations ? consultations.first_of(first) : std::nullopt) {
    const std::size_t parts = co_await count_consultation_parts(*part_0);
    for (std::size_t number = 0; number < parts; ++number) {
      consultations.want(second, number, [&](std::uint32_t part) { return consultation_key(wanted.person, part); });
    }
  }
  co_await second.fetch(context, session);

  if (wants_objects) {
    co_await catalogue.for_each(first, second, [&](std::size_t number, std::string_view text) {
      result.catalogue_texts.push_back(text);
      return result.mail_objects.add_part(number, text);
    });
    result.configuration_value = first[configuration];
    const AuditedValue audited = co_await read_audited_value(result.configuration_value.value_or(""));
    result.configuration_lines = audited.content;
    result.configurations = co_await Configurations::parse(audited);
  }
  if (wanted.grants && first[grants]) {
    const AuditedValue audited = co_await read_audited_value(*first[grants]);
    result.grants = co_await Grants::parse(audited.content);
  }
  if (third_party != not_asked && second[third_party]) {
    result.third_party = co_await read_third_party(*second[third_party]);
  }
  if (wants_index) {
    co_await index.for_each(first, second, [&](std::size_t number, std::string_view text) -> Result<void> {
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
    co_await consultations.for_each(first, second, [&](std::size_t number, std::string_view text) {
      return result.consultations.add_part(number, text);
    });
  }
  co_return result;
}

}  // namespace portail
