#include "core/portal/reading.hpp"

#include <algorithm>
#include <utility>

#include "core/portal/records/stored_string.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

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
  Reading reading(wanted);
  co_await reading.fetch(context, session);
  co_return co_await reading.decode();
}

Task<void> Reading::fetch(Context& context, Session& session) {
  ask_first();
  co_await first_.fetch(context, session);
  co_await ask_second();
  co_await second_.fetch(context, session);
}

void Reading::ask_first() {
  if (wants_objects()) {
    catalogue_.ask_for_first(first_, catalogue_key(0));
    configuration_ = first_.add(std::string(configuration_key));
  }
  if (wanted_.grants) grants_ = first_.add(std::string(grants_key));
  if (wanted_.bundle) bundle_ = first_.add(bundle_key(*wanted_.bundle));
  if (wants_index()) index_.ask_for_first(first_, index_key(*wanted_.index, wanted_.person, 0));
  if (wants_consultations()) consultations_.ask_for_first(first_, consultation_key(wanted_.person, 0));
}

Result<void> Reading::ask_second() {
  if (wanted_.bundle && first_[bundle_]) {
    const auto found = read_bundle(*first_[bundle_]);
    if (!found) return std::unexpected(found.error());
    // A hashed key could be another bundle's, in theory.
    if (found->id == stored_string(*wanted_.bundle)) {
      result_.bundle = *found;
      third_party_ = second_.add(third_party_key(unquoted(found->third_party)));
    }
  }
  if (const Value part_0 = wants_objects() ? catalogue_.first_of(first_) : std::nullopt) {
    auto summary = read_catalogue_summary(*part_0);
    if (!summary) return std::unexpected(summary.error());
    result_.summary = std::move(*summary);
    const auto parts = wanted_parts(result_.summary, wanted_, result_.bundle);
    if (!parts) return std::unexpected(parts.error());
    result_.first_position = parts->first_position;
    for (const std::size_t number : parts->numbers) catalogue_.want(second_, number, catalogue_key);
  }
  if (const Value part_0 = wants_index() ? index_.first_of(first_) : std::nullopt) {
    const auto parts = count_index_parts(*part_0);
    if (!parts) return std::unexpected(parts.error());
    for (std::size_t number = 0; number < *parts; ++number) {
      index_.want(second_, number, [&](std::uint32_t part) { return index_key(*wanted_.index, wanted_.person, part); });
    }
  }
  if (const Value part_0 = wants_consultations() ? consultations_.first_of(first_) : std::nullopt) {
    const auto parts = count_consultation_parts(*part_0);
    if (!parts) return std::unexpected(parts.error());
    for (std::size_t number = 0; number < *parts; ++number) {
      consultations_.want(second_, number, [&](std::uint32_t part) { return consultation_key(wanted_.person, part); });
    }
  }
  return {};
}

std::vector<Value> Reading::values() const {
  std::vector<Value> all(first_.values().begin(), first_.values().end());
  all.insert(all.end(), second_.values().begin(), second_.values().end());
  return all;
}

Result<WhatWasRead> Reading::decode() {
  if (wants_objects()) {
    const auto added = catalogue_.for_each(first_, second_, [&](std::size_t number, std::string_view text) {
      result_.catalogue_texts.push_back(text);
      return result_.mail_objects.add_part(number, text);
    });
    if (!added) return std::unexpected(added.error());
    result_.configuration_value = first_[configuration_];
    const auto audited = read_audited_value(result_.configuration_value.value_or(""));
    if (!audited) return std::unexpected(audited.error());
    result_.configuration_lines = audited->content;
    auto configurations = Configurations::parse(*audited);
    if (!configurations) return std::unexpected(configurations.error());
    result_.configurations = std::move(*configurations);
  }
  if (wanted_.grants && first_[grants_]) {
    const auto audited = read_audited_value(*first_[grants_]);
    if (!audited) return std::unexpected(audited.error());
    const auto grants = Grants::parse(audited->content);
    if (!grants) return std::unexpected(grants.error());
    result_.grants = *grants;
  }
  if (third_party_ != not_asked && second_[third_party_]) {
    const auto third_party = read_third_party(*second_[third_party_]);
    if (!third_party) return std::unexpected(third_party.error());
    result_.third_party = *third_party;
  }
  if (wants_index()) {
    const auto added = index_.for_each(first_, second_, [&](std::size_t number, std::string_view text) -> Result<void> {
      IndexEntries entries(number, text);
      for (;;) {
        const auto entry = entries.next();
        if (!entry) return std::unexpected(entry.error());
        if (!*entry) return {};
        result_.index.push_back(**entry);
      }
    });
    if (!added) return std::unexpected(added.error());
  }
  if (wants_consultations()) {
    const auto added = consultations_.for_each(first_, second_, [&](std::size_t number, std::string_view text) {
      return result_.consultations.add_part(number, text);
    });
    if (!added) return std::unexpected(added.error());
  }
  return std::move(result_);
}

}  // namespace portail
