#include "core/exchange/steps/import_audit.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <utility>

#include "core/audit/record_hash.hpp"
#include "core/base/text.hpp"
#include "core/base/time.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/steps/swap_configurations.hpp"
#include "core/portal/records/lines.hpp"

namespace portail {
namespace {

// Keeps records readable, and far below max_value_size.
constexpr std::size_t max_changes_per_record = 500;
constexpr std::size_t grants_record_target = std::size_t{64} * 1024;  // bytes

void write_section(JsonWriter& json, Section name, const SectionReport& section) {
  json.name(name_of(name));
  if (!section.present) {
    json.null();
    return;
  }
  const auto count = [&json](std::string_view what, std::uint64_t number) {
    json.name(what).integer(static_cast<std::int64_t>(number));
  };
  json.begin_object();
  count("added", section.added);
  count("changed", section.changed);
  count("unchanged", section.unchanged);
  count("removed", section.removed);
  json.end_object();
}

// `line` is a line of the value `droits`.
std::string grant_json(std::string_view line) {
  std::string text;
  Fields fields(line);
  JsonWriter json(text);
  json.begin_object().name("permission").string(fields.next_or_empty());
  const std::string_view kind = fields.next_or_empty();
  json.name(kind).raw(fields.next_or_empty()).end_object();
  return text;
}

}  // namespace

ImportAudit::ImportAudit(KeyValueStore& store, const ImportOptions& options, const Hash16& document,
                         std::uint32_t sections)
    : store_(store), options_(options), document_(lower_hex(document)), sections_(sections), author_(options.author) {}

Task<void> ImportAudit::begin(Context& context, std::function<void(Configurations&)> edit) {
  if (options_.dry_run) co_return;
  started_ = context.clock.now();
  std::vector<std::string> written;  // keys of the records of an attempt that lost its race
  co_await swap_configurations(context, store_, [&](Configurations& configurations) -> Task<void> {
    const Configurations before = configurations;
    edit(configurations);
    const std::vector<ConfigurationChange> all_changes = Configurations::changes(before, configurations);

    Commit commit(store_, false);
    // In the reverse order: no record remains whose predecessor is missing.
    for (std::string& key : written | std::views::reverse) commit.remove(std::move(key));
    written.clear();
    AuditLink link = co_await read_link(context, store_, before.last_change());
    const auto put = [&](AuditName name, std::string record) {
      written.push_back(audit_key(name));
      commit.put(written.back(), std::move(record));
    };
    for (std::span<const ConfigurationChange> changes = all_changes; !changes.empty();) {
      const auto chunk = changes.first(std::min(changes.size(), max_changes_per_record));
      const AuditName name = next_audit_name(context, link.previous);
      std::string record = configuration_record(AuditAction::replace_configuration, started_, author_, link, chunk);
      link = link_to(context, name, record);
      put(name, std::move(record));
      changes = changes.subspan(chunk.size());
    }
    link_ = std::move(link);
    name_ = next_audit_name(context, link_.previous);
    put(name_, own_record(nullptr, started_));
    configurations.set_last_change(name_);
    const auto found = configurations.edition();
    edition_ = {.import = name_, .is_complete = false, .sections = sections_ | (found ? found->sections : 0)};
    configurations.set_edition(edition_);
    co_await commit.write(context);
  });
}

AuditName ImportAudit::change_grants(Context& context, Commit& commit, AuditLink link,
                                     const std::set<std::string_view>& removed,
                                     const std::set<std::string_view>& added) const {
  // A record lists the removed grants, then the added ones.
  auto next_removed = removed.begin();
  auto next_added = added.begin();
  do {
    // Also after the import's own record, which precedes them in the trail.
    const AuditName name = next_audit_name(context, std::max(link.previous.value_or(name_), name_));
    std::string record;
    JsonWriter json(record);
    begin_record(json, AuditAction::grants, context.clock.now(), author_, link).name("removed").begin_array();
    while (next_removed != removed.end() && record.size() < grants_record_target) json.raw(grant_json(*next_removed++));
    json.end_array().name("added").begin_array();
    while (next_added != added.end() && record.size() < grants_record_target) json.raw(grant_json(*next_added++));
    json.end_array().end_object();
    link = link_to(context, name, record);
    commit.put(audit_key(name), std::move(record));
  } while (next_removed != removed.end() || next_added != added.end());
  return *link.previous;
}

Task<void> ImportAudit::finish(Context& context, const ImportReport& report) {
  if (options_.dry_run) co_return;
  const std::string own = own_record(&report, context.clock.now());
  std::string lost_key;  // of the outcome's record of an attempt that lost its race
  co_await swap_configurations(context, store_, [&](Configurations& configurations) -> Task<void> {
    Commit commit(store_, false);
    commit.put(audit_key(name_), own);
    if (!lost_key.empty()) commit.remove(std::move(lost_key));
    if (configurations.last_change() != name_) {
      const AuditLink link = co_await read_link(context, store_, configurations.last_change());
      const AuditName name = next_audit_name(context, link.previous);
      lost_key = audit_key(name);
      commit.put(lost_key, outcome_record(context, link, own));
      configurations.set_last_change(name);
    }
    co_await commit.write(context);
    // Unless another import has begun meanwhile.
    if (configurations.edition() == edition_) {
      const std::uint32_t interrupted = edition_.sections & ~sections_;
      configurations.set_edition(Edition{.import = name_, .is_complete = interrupted == 0, .sections = interrupted});
    }
  });
}

std::string ImportAudit::outcome_record(Context& context, const AuditLink& link, std::string_view own) const {
  const std::string key = audit_key(name_);
  std::string record;
  JsonWriter json(record);
  begin_record(json, AuditAction::import_outcome, context.clock.now(), author_, link);
  json.name("import").string(key).name("hash").string(lower_hex(audit_record_hash(key, own).value_or(Hash32{})));
  json.end_object();
  return record;
}

std::string ImportAudit::own_record(const ImportReport* report, Instant now) const {
  std::string record;
  JsonWriter json(record);
  begin_record(json, AuditAction::import, started_, author_, link_);
  json.name("document").string(document_).name("options").begin_array();
  for (const auto& [is_set, flag] :
       {std::pair{options_.replace_configuration, "--replace-configuration"}, std::pair{options_.prune, "--prune"},
        std::pair{options_.allow_empty_sections, "--yes"}}) {
    if (is_set) json.string(flag);
  }
  json.end_array().name("finished");
  if (!report) {
    json.null().name("sections").null().name("deposits").null().end_object();
    return record;
  }
  json.string(utc_text(now)).name("sections").begin_object();
  for (const Section section : all_sections) write_section(json, section, report->of(section));
  json.end_object().name("deposits").integer(static_cast<std::int64_t>(report->deposits)).end_object();
  return record;
}

}  // namespace portail
