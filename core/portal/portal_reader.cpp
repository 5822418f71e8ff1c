#include "core/portal/portal_reader.hpp"

#include <algorithm>
#include <utility>

#include "core/portal/records/lines.hpp"
#include "core/storage/audit_name.hpp"
#include "core/storage/edition.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

// Parts of a catalogue, in ascending order.
struct CatalogueParts {
  std::vector<std::size_t> numbers;
  std::uint64_t first_position = 0;  // of the first mail object of these parts in the whole catalogue
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
    parts.numbers.push_back(summary.part_of((*piece)->mail_object_id));
  }
  std::ranges::sort(parts.numbers);
  const auto repeated = std::ranges::unique(parts.numbers);
  parts.numbers.erase(repeated.begin(), repeated.end());
  return parts;
}

Result<CatalogueParts> catalogue_parts_of(const CatalogueSummary& summary, const ReadSpec& spec,
                                          const std::optional<Bundle>& bundle) {
  switch (spec.mail_objects) {
    case ReadSpec::MailObjects::none:
      break;
    case ReadSpec::MailObjects::all:
      return all_parts(summary);
    case ReadSpec::MailObjects::page:
      return parts_of_page(summary, spec.skip, spec.count);
    case ReadSpec::MailObjects::one:
      return CatalogueParts{.numbers = {summary.part_of(spec.id)}};
    case ReadSpec::MailObjects::of_bundle:
      if (bundle) return parts_of_pieces(summary, *bundle);
      break;
  }
  return CatalogueParts{};
}

}  // namespace

Task<void> read(Context& context, Session& session, const ReadSpec& spec, ReadResult& result) {
  PortalReader reading(spec, result);
  co_await reading.fetch(context, session);
  co_await reading.decode();
}

Task<void> PortalReader::fetch(Context& context, Session& session) {
  queue_first_batch();
  co_await first_.fetch(context, session);
  co_await queue_second_batch();
  co_await second_.fetch(context, session);
}

void PortalReader::queue_first_batch() {
  if (reads_mail_objects()) {
    catalogue_.add_first(first_, catalogue_key(0));
    configuration_ = first_.add(std::string(configuration_key));
  }
  if (spec_.grants) grants_ = first_.add(std::string(grants_key));
  if (spec_.bundle) bundle_ = first_.add(bundle_key(*spec_.bundle));
  if (reads_index()) index_.add_first(first_, person_key(spec_.index, spec_.person, 0));
  if (reads_consultations()) consultations_.add_first(first_, consultation_key(spec_.person, 0));
}

Result<void> PortalReader::queue_second_batch() {
  if (spec_.bundle && first_[bundle_]) {
    const auto found = read_bundle(*first_[bundle_]);
    if (!found) return std::unexpected(found.error());
    // Long ids are hashed into their keys, so the value could be another bundle's.
    if (found->id == stored_string(*spec_.bundle)) {
      result_.bundle = *found;
      third_party_ = second_.add(third_party_key(unquoted(found->third_party)));
    }
  }
  if (const Value part_0 = reads_mail_objects() ? catalogue_.first_of(first_) : std::nullopt) {
    auto summary = read_catalogue_summary(*part_0);
    if (!summary) return std::unexpected(summary.error());
    result_.summary = std::move(*summary);
    const auto parts = catalogue_parts_of(result_.summary, spec_, result_.bundle);
    if (!parts) return std::unexpected(parts.error());
    result_.first_position = parts->first_position;
    for (const std::size_t number : parts->numbers) {
      catalogue_.add(second_, number, catalogue_key);
      if (number < result_.summary.parts.size()) summarised_ += result_.summary.parts[number].count;
    }
  }
  if (const Value part_0 = reads_index() ? index_.first_of(first_) : std::nullopt) {
    const auto parts = count_index_parts(*part_0);
    if (!parts) return std::unexpected(parts.error());
    for (std::size_t number = 0; number < *parts; ++number) {
      index_.add(second_, number, [&](std::uint32_t part) { return person_key(spec_.index, spec_.person, part); });
    }
  }
  if (const Value part_0 = reads_consultations() ? consultations_.first_of(first_) : std::nullopt) {
    const auto parts = count_consultation_parts(*part_0);
    if (!parts) return std::unexpected(parts.error());
    for (std::size_t number = 0; number < *parts; ++number) {
      consultations_.add(second_, number, [&](std::uint32_t part) { return consultation_key(spec_.person, part); });
    }
  }
  return {};
}

std::vector<Value> PortalReader::values() const {
  std::vector<Value> all(first_.values().begin(), first_.values().end());
  all.insert(all.end(), second_.values().begin(), second_.values().end());
  return all;
}

Result<void> PortalReader::decode() {
  if (reads_mail_objects()) {
    const auto added = catalogue_.for_each(first_, second_, [&](std::size_t number, std::string_view text) {
      result_.catalogue_texts.push_back(text);
      return result_.mail_objects.add_part(number, text);
    });
    if (!added) return std::unexpected(added.error());
    result_.agrees_with_summary = result_.mail_objects.size() == summarised_;
    result_.configuration_value = first_[configuration_];
    auto audited = read_audited_value(result_.configuration_value.value_or(""));
    if (!audited) return std::unexpected(audited.error());
    const auto edition = take_edition(*audited);
    result_.configuration_lines = audited->content;
    auto configurations = Configurations::parse(*audited, edition);
    if (!configurations) return std::unexpected(configurations.error());
    result_.configurations = std::move(*configurations);
  }
  if (spec_.grants && first_[grants_]) {
    const auto audited = read_audited_value(*first_[grants_]);
    if (!audited) return std::unexpected(audited.error());
    const auto grants = Grants::parse(audited->content);
    if (!grants) return std::unexpected(grants.error());
    result_.grants = *grants;
  }
  if (third_party_ != no_slot && second_[third_party_]) {
    const auto third_party = read_third_party(*second_[third_party_]);
    if (!third_party) return std::unexpected(third_party.error());
    result_.third_party = *third_party;
  }
  if (reads_index()) {
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
  if (reads_consultations()) {
    const auto added = consultations_.for_each(first_, second_, [&](std::size_t number, std::string_view text) {
      result_.consultation_values.emplace_back(text);
      return result_.consultations.add_part(number, text);
    });
    if (!added) return std::unexpected(added.error());
  }
  return {};
}

}  // namespace portail
